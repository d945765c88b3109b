import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { z } from 'zod'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace

before(async () => {
  acme = await world.workspace({ modules: [], name: 'Acme', timezone: 'Asia/Kolkata', currency: 'INR' })
  other = await world.workspace({ modules: [], name: 'Other' })
})

const put = (settings: unknown) => acme.owner.put('/settings', { settings })
const stored = async () => (await acme.owner.get('/settings')).body.data.settings

/** Asserts 422 on exactly these fields. */
function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

describe('settings', () => {
  it('are closed to strangers and to those without the permission', async () => {
    assert.equal((await world.anonymous.get('/settings')).status, 401)
    assert.equal((await world.anonymous.put('/settings', { settings: {} })).status, 401)
    const viewer = await acme.user(['settings.view'])
    assert.equal((await viewer.get('/settings')).status, 200)
    assert.equal((await viewer.put('/settings', { settings: 7 })).status, 403)
    const updater = await acme.user(['settings.update'])
    assert.equal((await updater.get('/settings')).status, 403)
    assert.equal((await updater.put('/settings', { settings: {} })).status, 200)
  })

  it('begin with their defaults, every one of them', async () => {
    const settings = await stored()
    const declared = world.services.modules.settings
    assert.deepEqual(Object.keys(settings).sort(), ['currency', 'locale', 'timezone', ...declared.keys()].sort())
    for (const [key, { schema, default: value }] of declared) {
      assert.deepEqual(settings[key], value, key)
      assert.deepEqual(z.parse(schema, value), value, `the default of ${key} is a right value`)
    }
    const own = {
      company_address: '',
      company_phone: '',
      company_email: '',
      tax_registration_id: '',
      document_accent_color: '#1f4f82',
      document_footer: '',
      tax_rounding: 'line',
    }
    for (const [key, value] of Object.entries(own)) assert.equal(settings[key], value, key)
    assert.partialDeepStrictEqual(settings, { timezone: 'Asia/Kolkata', currency: 'INR', locale: 'en' })
  })

  it('name each unknown key and each wrong value, and then change nothing', async () => {
    const before = await stored()
    const wrong: [string, unknown][] = [
      ['nonsense', 1],
      ['constructor', {}],
      ['toString', 'x'],
      ['', 'x'],
      ['Timezone', 'UTC'],
      ['company_name', 'x'],
      ['status', 'suspended'],
      ['slug', 'x'],
      ['timezone', 'Mars/Olympus'],
      ['timezone', '+02:00'],
      ['timezone', null],
      ['timezone', 7],
      ['currency', 'US'],
      ['currency', 'XYZ'],
      ['currency', ['USD']],
      ['locale', 'English'],
      ['locale', 'xx'],
      ['locale', 'en_US'],
      ['locale', 'en-US-US'],
      ['locale', ''],
      ['locale', {}],
      ['company_address', 7],
      ['company_address', null],
      ['company_address', 'x'.repeat(1001)],
      ['company_address', 'a\0b'],
      ['company_email', 'nobody'],
      ['document_accent_color', 'red'],
      ['document_accent_color', '#12345'],
      ['tax_rounding', 'sometimes'],
      ['tax_rounding', ['line']],
    ]
    for (const [key, value] of wrong) {
      const reply = await put({ company_phone: '1', currency: 'EUR', timezone: 'UTC', [key]: value })
      assert.equal(reply.status, 422, `${key} ${JSON.stringify(value)}`)
      refused(reply, `settings.${key}`)
    }
    refused(
      await put({ nonsense: 1, tax_rounding: 1, currency: 1, company_phone: '1' }),
      'settings.nonsense',
      'settings.tax_rounding',
      'settings.currency',
    )
    for (const body of [undefined, null, {}, { settings: null }, { settings: 7 }, { settings: [] }, { settings: 'x' }])
      refused(await acme.owner.put('/settings', body), 'settings')
    refused(await acme.owner.put('/settings', []), 'body')
    assert.deepEqual(await stored(), before)
  })

  it('are saved one by one, for this workspace alone', async () => {
    const theirs = (await other.owner.get('/settings')).body.data
    for (const [key, value] of [
      ['company_address', 'Straße 1\n10115 Berlin "😀"'],
      ['company_email', 'office@acme.test'],
      ['company_email', ''],
      ['document_accent_color', '#ABCdef'],
      ['tax_rounding', 'document'],
      ['tax_rounding', 'line'],
      ['timezone', 'America/St_Johns'],
      ['currency', 'KWD'],
      ['locale', 'pt-BR'],
    ] as const) {
      const before = await stored()
      const { status, body } = await put({ [key]: value })
      assert.equal(status, 200, key)
      assert.deepEqual(body.data.settings, { ...before, [key]: value }, key)
      assert.deepEqual(await stored(), body.data.settings)
    }
    assert.equal((await put({ currency: 'chf' })).body.data.settings.currency, 'CHF')
    assert.deepEqual((await put({})).body.data.settings, await stored())
    assert.deepEqual((await other.owner.get('/settings')).body.data, theirs)
  })

  it('of time, currency and language are the workspace’s own', async () => {
    await put({ timezone: 'Pacific/Auckland', currency: 'JPY', locale: 'ja' })
    const { timezone, currency, locale } = (await acme.owner.get('/me')).body.data.workspace
    assert.deepEqual([timezone, currency, locale], ['Pacific/Auckland', 'JPY', 'ja'])
    world.clock.set('2027-06-30T13:00:00.000Z')
    assert.equal(await acme.inside(async (ctx) => ctx.today()), '2027-07-01')
    await put({ timezone: 'America/Los_Angeles' })
    assert.equal(await acme.inside(async (ctx) => ctx.today()), '2027-06-30')
    const [platforms] = await world.sql('SELECT timezone, currency, locale, status FROM tenants WHERE id = $1', [acme.id])
    assert.deepEqual(platforms, { timezone: 'America/Los_Angeles', currency: 'JPY', locale: 'ja', status: 'active' })
  })

  it('that a newer version no longer takes read as the default', async () => {
    await put({ tax_rounding: 'document' })
    await world.sql(`UPDATE workspace_settings SET value = '"sometimes"' WHERE tenant_id = $1 AND key = 'tax_rounding'`, [
      acme.id,
    ])
    assert.equal((await stored()).tax_rounding, 'line')
  })

  it('are both saved when two people save at once', async () => {
    const replies = await Promise.all([
      put({ company_phone: '1', document_footer: 'a' }),
      put({ document_footer: 'a', company_phone: '1' }),
      put({ currency: 'EUR' }),
    ])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    )
    const { company_phone, document_footer, currency } = await stored()
    assert.deepEqual([company_phone, document_footer, currency], ['1', 'a', 'EUR'])
  })

  it('take no text that can’t be stored', async () => {
    refused(await put({ company_address: 'half a \ud83d smiley' }), 'settings.company_address')
  })
})
