/** Tests of acceptance links: on the page, by JSON, and as seen by staff. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { mailsTo } from '#test/operator.ts'
import { SignForm } from './page.ts'

const logged: string[] = []
const log = (line: string) => void logged.push(line)
const world = await startTest({ log })
let firm: Workspace
let owner: Person
let company: number

before(async () => {
  firm = await world.workspace({ name: 'Acme', modules: ['quotations', 'contracts', 'companies', 'contacts', 'products'] })
  owner = firm.owner
  company = (await owner.post('/companies', { name: 'Lindqvist AB', address: 'Storgatan 5', email: 'ask@lindqvist.test' })).body
    .data.id
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const kinds = ['contracts', 'quotations'] as const
type Kind = (typeof kinds)[number]
const ACCEPTED = { contracts: 'active', quotations: 'accepted' }

const line = { name: 'Oak desk', quantity: 2, unit_price: 199.995, tax_rate: 19 }
const own = { contracts: { body: '<p>We <b>agree</b>.</p>', value: 1200 }, quotations: { lines: [line] } }

async function sent(kind: Kind, more: object = {}, by = owner): Promise<{ id: number; token: string }> {
  const made = await by.post(`/${kind}`, { title: 'Desks', company_id: company, ...own[kind], ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  assert.equal((await by.post(`/${kind}/${id}/send`)).status, 200)
  return { id, token: await link(kind, id, by) }
}
async function link(kind: Kind, id: number, by = owner): Promise<string> {
  const { status, body } = await by.post(`/${kind}/${id}/acceptance-link`)
  assert.equal(status, 200, body.message)
  const [, token] = new RegExp(`^http://atrium.test/accept/${kind}/([\\w-]{43})$`).exec(body.data.url)!
  world.secret(token!)
  return token!
}
const signer = { signer_name: 'Grace Hopper', signer_email: 'Grace@Hopper.test', accept_terms: true }
const read = (kind: Kind, token: string) => world.anonymous.get(`/public/${kind}/accept/${token}`)
const accept = (kind: Kind, token: string, more: object = {}, options: object = {}) =>
  world.anonymous.post(`/public/${kind}/accept/${token}`, { ...signer, ...more }, options)
const page = (kind: Kind, token: string) => world.root.get(`/accept/${kind}/${token}`)
const form = (kind: Kind, token: string, fields: Record<string, string>) =>
  world.root.post(`/accept/${kind}/${token}`, new URLSearchParams(fields).toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
const filled = { signer_name: 'Grace Hopper', signer_email: 'grace@hopper.test', accept_terms: 'true' }
const show = async (kind: Kind, id: number) => (await owner.get(`/${kind}/${id}`)).body.data
const types = (record: { activities: { type: string }[] }) => record.activities.map(({ type }) => type)
const refused = async (asked: Promise<Reply>, field: string) => {
  const { status, body } = await asked
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], body.message)
}
const outstanding = async (kind: Kind, id: number) =>
  (
    await world.sql(
      'SELECT count(*)::int FROM acceptance_links WHERE redeemed_at IS NULL AND subject_type = $1 AND subject_id = $2',
      [kind, id],
    )
  )[0].count
/** Asserts that a link isn't found by any route. */
async function gone(kind: Kind, token: string) {
  await notAcceptable(kind, token)
  assert.equal((await page(kind, token)).status, 404)
  assert.equal((await form(kind, token, filled)).status, 404)
  assert.equal((await signedPdf(kind, token)).status, 404)
}
/** Asserts that a link has been used: programs get a 404, people see the signed document. */
async function redeemed(kind: Kind, token: string) {
  await notAcceptable(kind, token)
  for (const [shown, status] of [
    [await page(kind, token), 200],
    [await form(kind, token, filled), 409],
  ] as const) {
    assert.equal(shown.status, status)
    assert.match(shown.raw.toString(), /<dt>Signed on<\/dt>/)
  }
}
const signedPdf = (kind: Kind, token: string) => world.root.get(`/accept/${kind}/${token}/pdf`)
async function notAcceptable(kind: Kind, token: string) {
  for (const asked of [read(kind, token), accept(kind, token)]) {
    const { status, body } = await asked
    assert.deepEqual([status, body.code, body.data], [404, 'NOT_FOUND', null])
  }
}

for (const kind of kinds)
  describe(`a link to one of the ${kind}`, () => {
    it('shows the document and nothing else of the workspace, and is not used up by that', async () => {
      const { id, token } = await sent(kind)
      for (let n = 0; n < 3; n++) assert.equal((await read(kind, token)).status, 200)
      assert.equal((await page(kind, token)).status, 200)
      const { data } = (await read(kind, token)).body
      const { number, title, issuer, recipient, branding } = data
      assert.deepEqual(
        { number, title, issuer, recipient, branding },
        {
          number: (await show(kind, id)).number,
          title: 'Desks',
          issuer: { name: 'Acme', lines: [] },
          recipient: { name: 'Lindqvist AB', lines: ['Storgatan 5'] },
          branding: { name: 'Acme', logo_url: null, accent: '#1f4f82', locale: 'en' },
        },
      )
      assert.ok(!/"\w*id"|@|creator|assign|status/.test(JSON.stringify(data)), JSON.stringify(data))
      assert.equal((await show(kind, id)).status, 'sent')
    })

    it('accepts once: with who, when, from where, and the hash of what was shown (ACC-05, ACC-08)', async () => {
      const { id, token } = await sent(kind)
      const shown = (await read(kind, token)).body.data
      const { status, body } = await accept(kind, token, {}, { headers: { 'user-agent': 'Phone/1' } })
      assert.deepEqual([status, body.data.status, body.data.document_sha256], [200, ACCEPTED[kind], shown.document_sha256])
      const record = await show(kind, id)
      const { signed_at, ...signature } = record.signature
      assert.deepEqual([record.status, signed_at], [ACCEPTED[kind], body.data.signed_at])
      assert.deepEqual(signature, {
        ...{ type: 'typed', signer_name: 'Grace Hopper', signer_email: 'grace@hopper.test' },
        ...{ ip: '127.0.0.1', user_agent: 'Phone/1', document_sha256: shown.document_sha256 },
      })
      assert.deepEqual(types(record), [
        'status_changed',
        'signed',
        'signature_requested',
        'signature_requested',
        'status_changed',
        'created',
      ])
      await redeemed(kind, token)
      assert.equal(await outstanding(kind, id), 0)
      const text = (await owner.get(`/${kind}/${id}/signed-document`)).raw
      assert.equal(createHash('sha256').update(text).digest('hex'), shown.document_sha256)
      const { document_sha256: _, expires_at: __, branding: ___, ...document } = shown
      assert.deepEqual(JSON.parse(text.toString()), document)
    })

    it('makes one signature of several acceptances at once, by whatever links', async () => {
      const { id, token } = await sent(kind)
      const other = await link(kind, id)
      const replies = await Promise.all(
        [...Array(3)].flatMap(() => [accept(kind, token), accept(kind, other), form(kind, token, filled)]),
      )
      assert.equal(replies.filter(({ status }) => status === 200).length, 1)
      assert.ok(replies.every(({ status }) => [200, 404, 409].includes(status)))
      const rows = await world.sql('SELECT 1 FROM customer_signatures WHERE subject_type = $1 AND subject_id = $2', [kind, id])
      assert.equal(rows.length, 1)
      assert.equal(types(await show(kind, id)).filter((type) => type === 'signed').length, 1)
    })

    it('and staff at once: one of them accepts', async () => {
      for (let n = 0; n < 4; n++) {
        const { id, token } = await sent(kind)
        const [customer, staff] = await Promise.all([accept(kind, token), owner.post(`/${kind}/${id}/accept`)])
        assert.ok([`200 422`, `404 200`].includes(`${customer.status} ${staff.status}`), `${customer.status} ${staff.status}`)
        const { status, signature } = await show(kind, id)
        assert.deepEqual([status, signature !== null], [ACCEPTED[kind], customer.status === 200])
      }
    })

    it('is a 404 when it is unknown, of another kind, over, or its document is not to be had', async () => {
      const { id, token } = await sent(kind)
      await gone(kind, 'x'.repeat(43))
      await gone(kinds.find((one) => one !== kind)!, token)
      await owner.del(`/${kind}/${id}`)
      await gone(kind, token)
      await owner.post(`/${kind}/${id}/restore`)
      assert.equal((await read(kind, token)).status, 200)
      world.clock.set(new Date(Date.parse(world.clock.now()) + 30 * 24 * 3600_000 + 1000).toISOString())
      await gone(kind, token)
      world.clock.set(undefined)
      assert.equal((await accept(kind, token)).status, 200)
    })

    it('is a 404 in a workspace that is closed or has lost the module', async () => {
      const closing = await world.workspace({ modules: [kind] })
      const made = await closing.owner.post(`/${kind}`, { title: 'Desks', ...own[kind] })
      await closing.owner.post(`/${kind}/${made.body.data.id}/send`)
      const token = await link(kind, made.body.data.id, closing.owner)
      const states = [
        {
          close: "UPDATE tenants SET status = 'suspended' WHERE id = $1",
          open: "UPDATE tenants SET status = 'active' WHERE id = $1",
        },
        {
          close: 'UPDATE tenants SET archived_at = now() WHERE id = $1',
          open: 'UPDATE tenants SET archived_at = NULL WHERE id = $1',
        },
        {
          close: 'UPDATE tenants SET deleted_at = now() WHERE id = $1',
          open: 'UPDATE tenants SET deleted_at = NULL WHERE id = $1',
        },
        {
          close: "UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1",
          open: "UPDATE module_subscriptions SET status = 'active' WHERE tenant_id = $1",
        },
      ]
      for (const { close, open } of states) {
        await world.sql(close!, [closing.id])
        await gone(kind, token)
        await world.sql(open!, [closing.id])
      }
      assert.equal((await accept(kind, token)).status, 200)
    })

    it('ends when staff accept, and when the document ends otherwise (ACC-09)', async () => {
      const endings: [string, object?][] =
        kind === 'contracts'
          ? [['accept'], ['status', { status: 'expired' }], ['status', { status: 'terminated' }]]
          : [['accept'], ['reject', { reason: 'Too dear' }], ['expire']]
      for (const [verb, body] of endings) {
        const { id, token } = await sent(kind)
        assert.equal((await owner.post(`/${kind}/${id}/${verb}`, body)).status, 200)
        await gone(kind, token)
        assert.deepEqual([(await show(kind, id)).signature, await outstanding(kind, id)], [null, 0])
        await refused(owner.post(`/${kind}/${id}/acceptance-link`), 'status')
      }
    })

    it('is counted: sixty a minute by address, page and JSON together (ACC-11)', async () => {
      const asked = [...Array(60)].map((_, n) => (n % 2 ? read(kind, 'nothing') : page(kind, 'nothing')))
      assert.deepEqual(new Set((await Promise.all(asked)).map(({ status }) => status)), new Set([404]))
      for (const one of [read(kind, 'nothing'), page(kind, 'nothing'), accept(kind, 'nothing')])
        assert.equal((await one).status, 429)
    })
  })

describe('accepting', () => {
  it('names each wrong field and accepts nothing', async () => {
    const { id, token } = await sent('quotations')
    const wrong: { more: object; field: string }[] = [
      { more: { signer_name: ' ' }, field: 'signer_name' },
      { more: { signer_name: 'x'.repeat(256) }, field: 'signer_name' },
      { more: { signer_email: 'nobody' }, field: 'signer_email' },
      { more: { accept_terms: false }, field: 'accept_terms' },
      { more: { accept_terms: undefined }, field: 'accept_terms' },
      { more: { accept_terms: 'true' }, field: 'accept_terms' },
      { more: { signature: { type: 'scanned', value: 'x' } }, field: 'signature.type' },
      { more: { signature: { type: 'typed', value: '' } }, field: 'signature.value' },
      { more: { signature: 'Grace' }, field: 'signature' },
      { more: { document_sha256: '0'.repeat(64) }, field: 'document_sha256' },
    ]
    for (const { more, field } of wrong) await refused(accept('quotations', token, more), field)
    assert.equal((await show('quotations', id)).status, 'sent')
  })

  it('is refused when the document is another than the one that was read', async () => {
    const { token } = await sent('quotations')
    const { document_sha256 } = (await read('quotations', (await sent('quotations')).token)).body.data
    await refused(accept('quotations', token, { document_sha256 }), 'document_sha256')
    const again = await form('quotations', token, { ...filled, document_sha256 })
    assert.deepEqual([again.status, /has changed/.test(again.raw.toString())], [422, true])
    const [, now] = /name="document_sha256" value="(\w{64})"/.exec(again.raw.toString())!
    assert.equal((await accept('quotations', token, { document_sha256: now })).status, 200)
  })

  it('is done once under an Idempotency-Key', async () => {
    const { token } = await sent('contracts')
    const headers = { 'idempotency-key': 'sign-1' }
    const [first, again] = [await accept('contracts', token, {}, { headers }), await accept('contracts', token, {}, { headers })]
    assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [200, 200, 'true'])
    assert.deepEqual(again.body, first.body)
  })

  it('of a contract tells of its signature, and the signature can’t be changed', async () => {
    const { id, token } = await sent('contracts')
    await accept('contracts', token, { signature: { type: 'typed', value: 'G. Hopper' } })
    const change = firm.inside((ctx) =>
      ctx.tx.updateTable('customer_signatures').set({ signer_name: 'Mallory' }).where('subject_id', '=', id).execute(),
    )
    await assert.rejects(change, /permission denied/)
    const [{ typed }] = await world.sql(
      `SELECT typed FROM customer_signatures WHERE subject_type = 'contracts' AND subject_id = $1`,
      [id],
    )
    assert.equal(typed, 'G. Hopper')
  })
})

describe('a drawn signature', () => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const size = Buffer.alloc(4)
    size.writeUInt32BE(data.length)
    return Buffer.concat([size, body, crc(body)])
  }
  const crc = (bytes: Buffer) => {
    let sum = ~0
    for (const byte of bytes) {
      sum ^= byte
      for (let n = 0; n < 8; n++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
    }
    const result = Buffer.alloc(4)
    result.writeUInt32BE(~sum >>> 0)
    return result
  }
  /** Returns a grey PNG. `pixels` replaces its compressed rows. */
  const png = (width: number, height: number, pixels = deflateSync(Buffer.alloc((width + 1) * height))) => {
    const head = Buffer.alloc(13)
    head.writeUInt32BE(width)
    head.writeUInt32BE(height, 4)
    head.set([8, 0, 0, 0, 0], 8)
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
  }
  const url = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
  const draw = (kind: Kind, token: string, value: string) => accept(kind, token, { signature: { type: 'drawn', value } })
  const files = () => world.sql(`SELECT state FROM stored_files WHERE tenant_id = $1`, [firm.id])

  it('is kept as a picture and printed', async () => {
    const { id, token } = await sent('quotations')
    assert.equal((await draw('quotations', token, url(png(600, 200)))).status, 200)
    assert.equal((await show('quotations', id)).signature.type, 'drawn')
    assert.deepEqual(await files(), [{ state: 'kept' }])
    const pdf = await owner.get(`/quotations/${id}/pdf`)
    assert.deepEqual([pdf.status, /\/Subtype\s*\/Image/.test(pdf.raw.toString('latin1'))], [200, true])
    await owner.del(`/quotations/${id}`)
    assert.equal((await owner.del(`/quotations/${id}/force`)).status, 200)
    assert.deepEqual(await files(), [])
    assert.deepEqual(await world.sql('SELECT 1 FROM customer_signatures WHERE image_key IS NOT NULL'), [])
  })

  it('is refused when it is no PNG, too large, or broken, and leaves no file', async () => {
    const { id, token } = await sent('contracts')
    const noise = Buffer.from(Array.from({ length: 1900 * 900 }, (_, n) => (n * 2654435761) >>> 24))
    const wrong = [
      'Grace',
      url(Buffer.from('Grace')),
      url(Buffer.alloc(0)),
      url(png(10, 10), 'image/svg+xml'),
      url(png(2001, 10)),
      url(png(10, 1001)),
      url(png(600, 200, Buffer.from('no pixels'))),
      url(png(600, 200).subarray(0, 60)),
      url(Buffer.concat([png(600, 200), Buffer.alloc(201 * 1024)])),
      url(png(1900, 900, noise.subarray(0, 220 * 1024))),
    ]
    for (const value of wrong) await refused(draw('contracts', token, value), 'signature.value')
    assert.deepEqual(await files(), [])
    assert.equal((await show('contracts', id)).status, 'sent')
    assert.equal((await draw('contracts', token, url(png(2000, 1000)))).status, 200)
  })

  it('leaves one file of several acceptances at once', async () => {
    await world.sql(`DELETE FROM stored_files`)
    const { token } = await sent('contracts')
    const replies = await Promise.all([...Array(4)].map((_, n) => draw('contracts', token, url(png(100 + n, 50)))))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404, 404, 404])
    assert.deepEqual(await files(), [{ state: 'kept' }])
  })
})

describe('the page', () => {
  const evil = `<script>alert(1)</script><img src=x onerror=alert(1)>"'&`

  it('escapes what people typed and sanitises their formatted texts', async () => {
    const { body } = await owner.post('/contacts', { name: evil, address: evil })
    const lines = [{ ...line, name: evil, body: `<p onclick="x()">Safe <i>text</i>${evil}<a href="javascript:x()">y</a></p>` }]
    const texts = { title: evil, lines, contact_id: body.data.id, company_id: null, notes: evil, terms_and_conditions: evil }
    const { id, token } = await sent('quotations', texts)
    const raw = `<p>planted</p><script>planted()</script><form action="https://evil.test"><input></form>`
    await world.sql(`UPDATE quotations SET notes = $2 WHERE id = $1`, [id, raw])
    const sentBack = await form('quotations', token, { ...filled, signer_name: evil, signer_email: evil })
    for (const { status, raw, headers } of [await page('quotations', token), sentBack]) {
      assert.equal(status, raw === sentBack.raw ? 422 : 200)
      const html = raw.toString()
      const [, nonce] = /script-src 'nonce-([^']+)'/.exec(String(headers['content-security-policy']))!
      assert.ok(!/onerror=alert\(1\)>(?!&quot;)|<img|onclick|javascript:|evil\.test|planted\(/.test(html))
      assert.deepEqual(html.match(/<script[^>]*>/g), [`<script nonce="${nonce}">`])
      assert.deepEqual(html.match(/<form[^>]*>/g), ['<form method="post">'])
      assert.match(html, /<p>Safe <i>text<\/i>/)
      assert.equal(headers['cache-control'], 'private, no-store')
    }
    const thanks = (await form('quotations', token, { ...filled, signer_name: evil })).raw.toString()
    assert.ok(/Thank you/.test(thanks) && !/<img|<script/.test(thanks))
  })

  it('takes the form without JavaScript, and gives it back with what was typed when something is wrong', async () => {
    const { id, token } = await sent('contracts')
    const wrong = await form('contracts', token, { signer_name: 'Grace "Amazing" Hopper', signer_email: 'nobody' })
    const html = wrong.raw.toString()
    assert.equal(wrong.status, 422)
    assert.match(html, /name="signer_name" value="Grace &quot;Amazing&quot; Hopper"/)
    assert.match(html, /name="signer_email" value="nobody"[^>]*aria-invalid="true"/)
    assert.match(html, /role="alert"/)
    const { status, raw } = await form('contracts', token, { ...filled, signer_name: 'Grace "Amazing" Hopper' })
    assert.equal(status, 200)
    assert.match(raw.toString(), /Thank you/)
    const { signature } = await show('contracts', id)
    assert.partialDeepStrictEqual(signature, { type: 'typed', signer_name: 'Grace "Amazing" Hopper' })
  })

  it('takes of its form what the API document gives as an example', async () => {
    const { token } = await sent('contracts')
    const [ticked] = SignForm.shape.accept_terms.meta()!.examples as [string]
    assert.equal((await form('contracts', token, { ...filled, accept_terms: ticked })).status, 200)
  })

  it('has figures, dates and the brand of the workspace', async () => {
    const lines = [{ ...line, discount_value: 10 }]
    const { token } = await sent('quotations', { lines, line_discount_type: 'percent', currency: 'EUR' })
    const html = (await page('quotations', token)).raw.toString()
    for (const part of ['Acme', 'Lindqvist AB', 'Storgatan 5', '399.99', '−40.00', '68.40', 'EUR 428.39', 'Oak desk'])
      assert.ok(html.includes(part), part)
  })
})

describe('who has signed', () => {
  it('is mailed the signed document once, from the firm, and can have it by the link until its time is over', async () => {
    const { token } = await sent('quotations')
    const other = await link('quotations', (await sent('quotations')).id)
    const signer_email = 'signer@hopper.test'
    assert.equal((await accept('quotations', token, { signer_email })).status, 200)
    assert.equal((await accept('quotations', token, { signer_email })).status, 404)
    await world.drain()
    const mails = await world.sql(
      `SELECT l.notification_type, l.from_name, l.is_automatic, l.body_html, a.name, a.content FROM email_logs l
       JOIN email_attachments a ON a.tenant_id = l.tenant_id AND a.email_log_id = l.id WHERE $1 = ANY (l."to")`,
      [signer_email],
    )
    assert.equal(mails.length, 1)
    const [{ notification_type, from_name, is_automatic, body_html, name, content }] = mails
    assert.deepEqual([notification_type, from_name, is_automatic], ['quotation.signed', 'Acme', true])
    assert.match(name, /^QT-\d+\.pdf$/)
    assert.equal(content.toString('latin1', 0, 5), '%PDF-')
    assert.match(body_html, /<html lang="en">.*<title>Signed: QT-\d+, Desks<\/title>/s)
    const html = (await page('quotations', token)).raw.toString()
    assert.match(html, /Grace Hopper/)
    assert.match(html, new RegExp(`href="/accept/quotations/${token}/pdf"`))
    const { status, headers, raw } = await signedPdf('quotations', token)
    assert.deepEqual([status, headers['content-type'], raw.toString('latin1', 0, 5)], [200, 'application/pdf', '%PDF-'])
    await gone('contracts', token)
    assert.equal((await signedPdf('quotations', other)).status, 404)
    world.clock.set(new Date(Date.parse(world.clock.now()) + 30 * 24 * 3600_000 + 1000).toISOString())
    await gone('quotations', token)
    world.clock.set(undefined)
  })

  it('sees times in the document’s language and zone', async () => {
    const berlin = await world.workspace({ modules: ['quotations'], timezone: 'Europe/Berlin' })
    await world.sql(`UPDATE tenants SET locale = 'de' WHERE id = $1`, [berlin.id])
    const token = (await sent('quotations', { company_id: null }, berlin.owner)).token
    const { expires_at } = (await read('quotations', token)).body.data
    const until = new Date(expires_at).toLocaleString('de', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Berlin' })
    assert.ok((await page('quotations', token)).raw.toString().includes(`${until} (Europe/Berlin)`))
  })

  it('is heard of by the firm: by the assignee, else the creator, else the owner', async () => {
    const told = async (who: Person) =>
      (await who.get('/notifications')).body.data.filter(({ type }: any) => type === 'quotation.accepted').length
    const permissions = [
      'quotations.view',
      'quotations.create',
      'quotations.send',
      'quotations.assign',
      'companies.view',
    ] as const
    const [assignee, creator] = [await firm.user([...permissions], 'Assignee'), await firm.user([...permissions], 'Creator')]
    const counts = async () => [await told(assignee), await told(creator), await told(owner)]
    const before = await counts()
    const { id, token } = await sent('quotations', { assigned_to: assignee.id, company_id: null }, creator)
    await accept('quotations', token)
    assert.deepEqual(await counts(), [1, 0, before[2]])
    const second = await sent('quotations', { assigned_to: null, company_id: null }, creator)
    await world.sql('UPDATE quotations SET assigned_to = NULL WHERE id = $1', [second.id])
    await accept('quotations', second.token)
    assert.deepEqual(await counts(), [1, 1, before[2]])
    const third = await sent('quotations', { assigned_to: assignee.id, company_id: null }, creator)
    await world.sql('UPDATE users SET suspended_at = now() WHERE id = ANY ($1)', [[assignee.id, creator.id]])
    await accept('quotations', third.token)
    assert.equal(await told(owner), before[2]! + 1)
    assert.ok(id)
  })
})

describe('links', () => {
  it('are good for thirty days, or until the last day of the document in the workspace’s calendar', async () => {
    const tokyo = await world.workspace({ modules: ['quotations'], timezone: 'Asia/Tokyo' })
    world.clock.set('2026-11-20T10:00:00.000Z')
    const expiry = async (valid_until: string | null) => {
      const { id } = (await tokyo.owner.post('/quotations', { title: 'Desks', valid_until })).body.data
      await tokyo.owner.post(`/quotations/${id}/send`)
      return (await tokyo.owner.post(`/quotations/${id}/acceptance-link`)).body.data.expires_at
    }
    assert.equal(await expiry(null), '2026-12-20T10:00:00.000Z')
    assert.equal(await expiry('2027-06-01'), '2026-12-20T10:00:00.000Z')
    assert.equal(await expiry('2026-11-20'), '2026-11-20T15:00:00.000Z')
    world.clock.set(undefined)
  })

  it('end with that day where it is by now, also when the workspace has moved to another zone', async () => {
    const moved = await world.workspace({ modules: ['quotations'], timezone: 'America/New_York' })
    world.clock.set('2026-11-20T10:00:00.000Z')
    const { token } = await sent('quotations', { company_id: null, valid_until: '2026-11-20' }, moved.owner)
    assert.equal((await moved.owner.put('/settings', { settings: { timezone: 'Asia/Tokyo' } })).status, 200)
    assert.equal((await page('quotations', token)).status, 200)
    world.clock.set('2026-11-20T15:01:00.000Z')
    await gone('quotations', token)
    world.clock.set(undefined)
  })

  it('are twenty at most for a document: a further one ends the oldest', async () => {
    const { id, token } = await sent('contracts')
    const second = await link('contracts', id)
    for (let n = 0; n < 19; n++) await link('contracts', id)
    assert.deepEqual([(await read('contracts', token)).status, (await read('contracts', second)).status], [404, 200])
    assert.equal(await outstanding('contracts', id), 20)
  })

  it('are told once, and stand in no table, job or log (ACC-04)', async () => {
    const { id, token } = await sent('quotations')
    const headers = { 'idempotency-key': 'link-1' }
    const first = await owner.post(`/quotations/${id}/acceptance-link`, undefined, { headers })
    const again = await owner.post(`/quotations/${id}/acceptance-link`, undefined, { headers })
    assert.deepEqual([typeof first.body.data.url, again.body.data.url], ['string', null])
    assert.equal((await owner.post(`/quotations/${id}/email`, { subject: 'Offer', message: 'Here it is.' })).status, 200)
    const [mail] = await mailsTo(world, 'ask@lindqvist.test')
    const [, mailed] = /http:\/\/atrium\.test\/accept\/quotations\/([\w-]{43})/.exec(mail!.body_text)!
    await page('quotations', mailed!)
    await form('quotations', mailed!, { signer_name: '' })
    await read('quotations', token)
    assert.equal((await accept('quotations', mailed!)).status, 200)
    await redeemed('quotations', mailed!)
    const secrets = [token, first.body.data.url.split('/').at(-1), mailed!]
    const tables = await world.sql(`SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
      WHERE table_schema IN ('public', 'pgboss') AND table_type = 'BASE TABLE'`)
    for (const { name } of tables) {
      const [{ text }] = await world.sql(`SELECT coalesce(json_agg(t)::text, '') AS text FROM ${name} t`)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${name} holds ${secret}`)
    }
    assert.ok(logged.length > 100)
    for (const secret of secrets) assert.ok(!logged.some((entry) => entry.includes(secret)))
    assert.ok(logged.some((entry) => entry.includes('/accept/quotations/:token')))
  })
})
