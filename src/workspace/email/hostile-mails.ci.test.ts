/**
 * Receives and opens a corpus of hostile mails: each is displayed or reported as unreadable, and no other mail is affected.
 * Without HOSTILE_MAIL only a sample.
 */
// CI stage: mails
// Own process: memory is measured.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { heldDuring } from '#test/held.ts'
import { hostileMails } from '#test/hostile-mails.ts'
import { startImapThread } from '#test/imap-thread.ts'
import { clientOf, mailboxWorld } from '#test/mailboxes.ts'

const server = await startImapThread()
after(() => server.stop())
const at = await mailboxWorld(server.port)
const { owner } = at.firm

/** Maximum characters of a body, and of the texts that lists and searches show. */
const MAX_BODY = 2_100_000
const MAX_REST = 200_000

it('each is received and opened', { timeout: 600_000 }, async (t) => {
  const client = await clientOf(server.port, 'victim')
  const account = await at.connect(owner, 'victim')
  const mails = hostileMails()
  const known = new Set<string>()
  let [shown, worst] = [0, 0]
  for (const [name, content] of mails) {
    await client.append('INBOX', content)
    const before = process.memoryUsage.rss()
    let opened: any
    const held = await heldDuring(async () => {
      await owner.post(`/email/accounts/${account}/sync`)
      await at.world.drain()
      const { INBOX } = await at.folders(account)
      const query = { per_page: 100, sort: 'created_at', direction: 'desc' }
      const { data } = (await owner.get(`/email/folders/${INBOX.uuid}/messages`, { query })).body
      const message = data.find(({ uuid }: any) => !known.has(uuid))
      if (!message) return
      known.add(message.uuid)
      assert.ok(JSON.stringify(message).length < MAX_REST, name)
      opened = await owner.get(`/email/messages/${message.uuid}`)
    })
    worst = Math.max(worst, held)
    assert.ok(held < 1000, `${name} held the event loop for ${Math.round(held)} ms`)
    assert.ok(process.memoryUsage.rss() - before < 300 * 1024 * 1024, `${name} took memory`)
    if (!opened) continue
    shown++
    assert.equal(opened.status, 200, `${name}: ${String(opened.raw).slice(0, 300)}`)
    const { body_html, body_text, ...rest } = opened.body.data
    assert.equal(typeof body_html, 'string', name)
    assert.ok(body_html.length < MAX_BODY && body_text.length < MAX_BODY, `${name}: ${body_html.length}, ${body_text.length}`)
    assert.ok(JSON.stringify(rest).length < MAX_REST, `${name}: ${JSON.stringify(rest).length}`)
  }
  t.diagnostic(`${shown} of ${mails.length} shown; the event loop was held for ${Math.round(worst)} ms at most`)
  const { counts } = (await owner.get(`/email/accounts/${account}`)).body.data
  assert.equal(counts.here + counts.quarantined, mails.length)
  await client.logout()
})
