/** Texts of users and strangers that are expensive to process: each slows down its sender only. */
// CI stage: bounds
// Own process: memory is measured.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { IsolationError } from '#kernel/isolate/isolated.ts'
import { heldDuring } from '#test/held.ts'
import { startImap } from '#test/imap.ts'
import { clientOf, letter, mailboxWorld } from '#test/mailboxes.ts'
import { tnefOf } from '#test/tnef.ts'
import { worstHtml } from '#test/worst-html.ts'

const server = await startImap()
after(() => server.stop())
const at = await mailboxWorld(server.port)
const { owner } = at.firm
const KB = 1024
const MB = 1024 * KB

/** No request may block the event loop for a second, however slow this machine currently is. */
async function quickly<T>(about: string, work: () => Promise<T>): Promise<T> {
  let result: T
  const held = await heldDuring(async () => (result = await work()))
  assert.ok(held < 1000, `${about} held the event loop for ${Math.round(held)} ms`)
  return result!
}

describe('a draft', () => {
  let account: string
  before(async () => {
    account = await at.connect(owner, 'writer')
  })
  const compose = (fields: object) => owner.post('/email/messages/compose', { account_uuid: account, ...fields })

  it('has recipients whose length is judged before they are read', async () => {
    for (const text of [' ', '<', '"', '<a@b.test>', 'a@', '"" <', '\n'])
      for (const length of [900, 3000, 100_000]) {
        const one = text.repeat(length / text.length)
        const { status, body } = await quickly(text, () => compose({ to: [one], cc: ['Ann <ann@firm.test>', one] }))
        assert.equal(status, 422, text)
        assert.ok(
          Object.keys(body.errors!).every((field) => /^(to\.0|cc\.1)/.test(field)),
          JSON.stringify(body.errors),
        )
      }
    const people = [' Ann <ann@firm.test> ', '"Ann A." <ann@firm.test>', '<ann@firm.test>', 'ann@firm.test']
    const { data } = (await compose({ to: people })).body
    assert.deepEqual(
      data.to.map(({ name, email }: any) => [name, email]),
      ['Ann', 'Ann A.', null, null].map((name) => [name, 'ann@firm.test']),
    )
  })

  it('has HTML that is read elsewhere', async () => {
    for (const [about, body_html] of worstHtml(490_000).filter((_, n) => n % 9 === 1)) {
      const { status, raw } = await quickly(about, () => compose({ body_html }))
      assert.ok(status === 201 || status === 422, `${about}: ${raw.subarray(0, 300)}`)
    }
  })
})

describe('a template', () => {
  const create = (fields: object) => owner.post('/email/templates', { name: 'T', subject: 'S', body_html: '<p>B</p>', ...fields })

  it('with nested HTML is read elsewhere, and keeps its text', async () => {
    const body_html = `${'<div>'.repeat(90_000)}Dear ${'<b>'.repeat(1000)}Ann`
    const { status, body } = await quickly('nested tags', () => create({ body_html }))
    assert.equal(status, 201)
    assert.match(body.data.body_html, /^(<div>){50,100}Dear Ann(<\/div>)+$/)
    const changed = await quickly('nested tags', () =>
      owner.put(`/email/templates/${body.data.uuid}`, { body_html: body_html.slice(5) }),
    )
    assert.equal(changed.status, 200)
    const stale = await owner.put(`/email/templates/${body.data.uuid}`, { name: 'U' }, { headers: { 'if-match': '"1-0"' } })
    assert.equal(stale.status, 412)
  })

  it('that becomes too long is refused before it is put together', async () => {
    const { uuid } = (await create({ body_html: '{{a}}'.repeat(99_000), subject: '{{a}}'.repeat(199) })).body.data
    const variables = { a: '&'.repeat(10_000) }
    const before = process.memoryUsage.rss()
    const { status, body } = await quickly('many placeholders', () =>
      owner.post(`/email/templates/${uuid}/render`, { variables }),
    )
    assert.deepEqual([status, Object.keys(body.errors!)], [422, ['variables']])
    assert.ok(process.memoryUsage.rss() - before < 100 * MB)
    const { data } = (await owner.post(`/email/templates/${uuid}/render`, { variables: { a: 'b' } })).body
    assert.deepEqual([data.subject.length, data.body_html.length], [199, 99_000])
  })
})

describe('a stranger’s message', () => {
  const html = (n: number, body: string) =>
    letter(n, { head: 'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8', body })
  const parts = (n: number, type: string, bodies: string[]) =>
    letter(n, {
      head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
      body: `${bodies.map((body) => `--a\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`).join('')}--a--\r\n`,
    })

  async function shown(user: string, content: string | Buffer) {
    const client = await clientOf(server.port, user)
    await client.append('INBOX', content as Buffer)
    const account = await at.connect(owner, user)
    await at.sync(account)
    const [{ uuid }] = await at.list(account, 'INBOX')
    await client.mailboxOpen('INBOX')
    await client.fetchOne('1', { bodyParts: ['1', '2', '3', '4', '5', '6'] }) // the small server in this process parses them once
    const before = process.memoryUsage.rss()
    const { status, body, raw } = await quickly(user, () => owner.get(`/email/messages/${uuid}`))
    assert.equal(status, 200, String(raw))
    assert.ok(process.memoryUsage.rss() - before < 200 * MB, `${process.memoryUsage.rss() - before}`)
    await client.logout()
    return body.data
  }

  it('may have spaces', async () => {
    const { body_text } = await shown('spaces', html(1, `<pre>a${' '.repeat(120 * KB)}b</pre>`))
    assert.match(body_text, /^a +b$/)
  })

  it('may be deep', async () => {
    const { body_html, body_text } = await shown('deep', html(1, `${'<div>'.repeat(190_000)}a`))
    assert.match(body_html, /^(<div>){50,100}a\n(<\/div>)+$/)
    assert.equal(body_text, 'a')
  })

  it('may have many lines', async () => {
    const { body_text } = await shown('lines', parts(1, 'text/plain', Array(6).fill(`a${'\n'.repeat(MB - 10)}b`)))
    assert.match(body_text, /^a\n+\[Message clipped\]$/)
    assert.ok(body_text.length < 60_000)
  })

  it('may name files by folders, which lead nobody to another one', async () => {
    const head =
      "MIME-Version: 1.0\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename*=UTF-8''%2e%2e%2f%2e%2e%5cplan.txt"
    const { attachments } = await shown('folders', letter(1, { head, body: 'a' }))
    assert.deepEqual(
      attachments.map(({ name }: any) => name),
      ['plan.txt'],
    )
  })

  it('may be wrapped by Outlook', async () => {
    const content = tnefOf({ files: [{ name: 'a.txt', content: Buffer.from('a') }], html: `${'<div>'.repeat(150_000)}a` })
    const body = content.toString('base64').replace(/.{76}/g, '$&\r\n')
    const head = 'MIME-Version: 1.0\r\nContent-Type: application/ms-tnef\r\nContent-Transfer-Encoding: base64'
    const { body_text, attachments } = await shown('outlook', letter(1, { head, body }))
    assert.deepEqual([body_text, attachments.map(({ name }: any) => name)], ['a', ['a.txt']])
  })

  it('that ends its reader can’t be shown, and is not read again', async () => {
    const { isolation } = at.world.services
    const { run } = isolation
    let calls = 0
    isolation.run = async () => {
      calls++
      throw new IsolationError('timed_out', 'more than 10 s')
    }
    try {
      const client = await clientOf(server.port, 'ends')
      await client.append('INBOX', letter(1) as never)
      const account = await at.connect(owner, 'ends')
      await at.sync(account)
      const [{ uuid }] = await at.list(account, 'INBOX')
      for (let n = 0; n < 2; n++) {
        const { body_html, body_text } = (await owner.get(`/email/messages/${uuid}`)).body.data
        assert.deepEqual([body_html, body_text], ["<p>This message can't be shown.</p>", "This message can't be shown."])
      }
      assert.equal(calls, 1)
      await client.logout()
    } finally {
      isolation.run = run
    }
  })
})
