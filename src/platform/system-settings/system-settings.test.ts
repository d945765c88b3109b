import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { inPublic, originOf } from '#kernel/context.ts'
import { type PlatformSetting, platformSettings, settingGroups } from '#kernel/modules/declared-settings.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { type Reply, startTest } from '#test/harness.ts'
import { operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
const all = Object.entries(platformSettings as Record<string, PlatformSetting>)
const put = (settings: unknown) => admin.put('/system-settings', { settings })
const read = async () => (await admin.get('/system-settings')).body.data.settings
const inTransaction = (key: Parameters<typeof platformSetting>[1]) =>
  inPublic(originOf(world.services), 'read', (ctx) => platformSetting(ctx, key))

function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

beforeEach(() => world.sql('TRUNCATE platform_settings'))

describe('the settings of the platform', () => {
  it('are for those with the permissions', async () => {
    const lister = await operator(world, ['system-settings.list'])
    const updater = await operator(world, ['system-settings.update'])
    const people = [world.central(), lister, updater]
    assert.deepEqual(await Promise.all(people.map(async (one) => (await one.get('/system-settings')).status)), [401, 200, 403])
    const puts = people.map(async (one) => (await one.put('/system-settings', { settings: {} })).status)
    assert.deepEqual(await Promise.all(puts), [401, 403, 200])
  })

  it('are told to a console as fields of a form: all that can be changed, in their groups (SET-05)', async () => {
    const [lister, nobody] = [await operator(world, ['system-settings.list']), await operator(world, [])]
    assert.equal((await nobody.get('/console/settings')).status, 403)
    const groups: { title: string; fields: { name: string; kind: string }[] }[] = (await lister.get('/console/settings')).body
      .data
    assert.deepEqual(
      groups.map(({ title }) => title.toLowerCase()),
      [...settingGroups],
    )
    const fields = groups.flatMap((group) => group.fields)
    const changeable = all.filter(([, { readOnly }]) => !readOnly)
    assert.deepEqual(fields.map(({ name }) => name).sort(), changeable.map(([key]) => key).sort())
    const secrets = changeable.filter(([, { secret }]) => secret).map(([key]) => key)
    assert.deepEqual(fields.flatMap(({ name, kind }) => (kind === 'secret' ? name : [])).sort(), secrets.sort())
  })

  it('name each unknown key, each wrong value and what is not set here, and then change nothing', async () => {
    const before = await read()
    const wrong: [string, unknown][] = [
      ['nonsense', 1],
      ['', 1],
      ['constructor', {}],
      ['__proto__x', {}],
      ['mail.app_name', 'Elsewhere'],
      ['general.general.app_name', 'Twice'],
      ['app_name', ''],
      ['app_name', '   '],
      ['app_name', 'x'.repeat(101)],
      ['app_name', { name: 'x' }],
      ['app_name', 'a\0b'],
      ['timezone', 'Mars/Olympus'],
      ['locale', 'English'],
      ['locale', 'en-US-US'],
      ['currency', 'XYZ'],
      ['registration_enabled', 'yes'],
      ['founding_beta_apply_url', 'javascript:alert(1)'],
      ['founding_beta_invite_ttl_days', 0],
      ['founding_beta_invite_ttl_days', 1.5],
      ['date_format', 'x'.repeat(51)],
      ['mail_provider', 'pigeon'],
      ['mail_from_address', 'a@x.test, b@x.test'],
      ['smtp_port', 0],
      ['smtp_port', '25'],
      ['smtp_password', { set: true }],
      ['mail_webhook_secret', ''],
      ['mail_webhook_events', ['exploded']],
      ['mail_webhook_events', 'opened'],
      ['button_color', 'red'],
      ['button_color', '#12345g'],
      ['support_email', 'nobody'],
      ['logo_path', 'platform/aa/x.png'],
      ['auth_image_login_path', null],
      ['stripe_webhook_configured', true],
      ['session_lifetime_minutes', 4],
      ['password_min_length', 7],
      ['password_require_special', 1],
      ['maintenance_eta', 'tomorrow'],
      ['maintenance_message', 'x'.repeat(1001)],
      ['proration_mode', 'always'],
      ['invoice_prefix', 'x'.repeat(21)],
    ]
    for (const [key, value] of wrong) {
      const reply = await put({ company_name: 'Changed', currency: 'EUR', password_min_length: 12, [key]: value })
      assert.equal(reply.status, 422, `${key} ${JSON.stringify(value)}`)
      refused(reply, `settings.${key}`)
    }
    refused(
      await put({ nonsense: 1, app_name: 7, logo_path: 'x' }),
      'settings.nonsense',
      'settings.app_name',
      'settings.logo_path',
    )
    refused(await put({ app_name: 'One', 'general.app_name': 'Two' }), 'settings.general.app_name')
    for (const body of [undefined, null, {}, { settings: null }, { settings: [] }, { settings: 'x' }])
      refused(await admin.put('/system-settings', body), 'settings')
    assert.deepEqual(await read(), before)
  })

  it('begin with their defaults, in seven groups, every key once (SET-05)', async () => {
    const settings = await read()
    assert.deepEqual(Object.keys(settings), [...settingGroups])
    for (const [key, { group, secret, schema, default: value }] of all) {
      assert.deepEqual(settings[group][key], secret ? { set: false } : value, key)
      assert.deepEqual(z.parse(schema, value), value, `the default of ${key} is a right value`)
    }
    assert.equal(settingGroups.flatMap((group) => Object.keys(settings[group])).length, all.length)
  })

  it('are saved one by one, under their key alone or with its group, and act at once (SET-01)', async () => {
    for (const { name, value, stored = value } of [
      { name: 'app_name', value: '  Nordlicht ', stored: 'Nordlicht' },
      { name: 'general.company_name', value: 'Nordlicht GmbH' },
      { name: 'currency', value: 'eur', stored: 'EUR' },
      { name: 'date_format', value: 'DD.MM.YYYY' },
      { name: 'mail_provider', value: 'postmark' },
      { name: 'mail_webhook_events', value: ['bounced', 'bounced'], stored: ['bounced'] },
      { name: 'password_min_length', value: 12 },
      { name: 'maintenance_eta', value: '2026-12-01T10:00:00+02:00', stored: '2026-12-01T08:00:00.000Z' },
      { name: 'support_email', value: 'Help@Nordlicht.test', stored: 'help@nordlicht.test' },
      { name: 'support_email', value: null },
    ] as { name: string; value: unknown; stored?: unknown }[]) {
      const before = await read()
      const { status, body } = await put({ [name]: value })
      assert.equal(status, 200, name)
      const key = name.slice(name.indexOf('.') + 1) as keyof typeof platformSettings
      const { group } = platformSettings[key]
      assert.deepEqual(body.data.settings, { ...before, [group]: { ...before[group], [key]: stored } }, name)
      assert.deepEqual(await inTransaction(key), stored)
    }
    assert.deepEqual((await put({ timezone: null, app_name: 'x' })).status, 422, 'null only where it is a value')
  })

  it('keep secrets encrypted, tell of each only whether it is set, and log keys without values', async () => {
    const secret = 'planted-secret-5f1e9'
    const secrets = all.filter(([, setting]) => setting.secret).map(([key]) => key)
    const saved = await put({ ...Object.fromEntries(secrets.map((key) => [key, secret])), app_name: 'Nordlicht' })
    assert.equal(saved.status, 200)
    const replies = [saved, await admin.get('/system-settings'), await world.central().get('/public/settings')]
    for (const reply of replies) assert.ok(!reply.raw.includes(secret))
    for (const key of secrets) assert.deepEqual(saved.body.data.settings.mail[key], { set: true }, key)
    const [{ tables }] = await world.sql(
      `SELECT (SELECT json_agg(s)::text FROM platform_settings s) || (SELECT json_agg(a)::text FROM audit_logs a) AS tables`,
    )
    assert.ok(!tables.includes(secret) && !tables.includes(Buffer.from(secret).toString('hex')))
    assert.equal(await inTransaction('mailgun_api_key'), secret)
    const [entry] = await world.sql(`SELECT * FROM audit_logs WHERE event = 'system_settings_updated' ORDER BY id DESC LIMIT 1`)
    assert.deepEqual(entry.properties.keys, ['app_name', ...secrets].sort())
    assert.deepEqual([Number(entry.tenant_id), Number(entry.actor_id)], [0, admin.id])
    assert.deepEqual((await put({ mailgun_api_key: null })).body.data.settings.mail.mailgun_api_key, { set: false })
    assert.equal(await inTransaction('mailgun_api_key'), null)
  })

  it('are all saved when many save at once, in whatever order', async () => {
    const some = { app_name: 'A', company_name: 'B', date_format: 'C', invoice_prefix: 'D', button_color: '#00ff00' }
    const keys = Object.keys(some) as (keyof typeof some)[]
    const shuffled = keys.map((_, n) =>
      Object.fromEntries([...keys.slice(n), ...keys.slice(0, n)].map((key) => [key, some[key]])),
    )
    const replies = await Promise.all([...shuffled, ...shuffled].map(put))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const { general, localization, billing, branding } = await read()
    assert.deepEqual(
      [general.app_name, general.company_name, localization.date_format, billing.invoice_prefix, branding.button_color],
      Object.values(some),
    )
  })

  it('of which workspaces may be told are those, and only those, that the database tells them', async () => {
    const { inside } = await world.workspace({ modules: [] })
    const values: Record<string, unknown> = Object.fromEntries(all.map(([key, setting]) => [key, setting.default]))
    for (const [key, { secret }] of all)
      await world.sql(
        `INSERT INTO platform_settings (key, value, sealed, updated_at) VALUES ($1, $2, $3, now())`,
        secret ? [key, null, Buffer.from('x')] : [key, JSON.stringify(values[key] ?? 'stored'), null],
      )
    const told = await inside(async (ctx) => {
      const keys = all.map(([key]) => key)
      const { rows } = await sql<{ key: string }>`
        select key from unnest(${keys}::text[]) key where app.platform_setting(key) is not null`.execute(ctx.tx)
      return rows.map(({ key }) => key).sort()
    })
    assert.deepEqual(
      told,
      all
        .filter(([, setting]) => setting.told)
        .map(([key]) => key)
        .sort(),
    )
  })
})

describe('a new workspace', () => {
  it('begins with the timezone, currency and language of the platform, unless its own are sent', async () => {
    await put({ timezone: 'Asia/Tokyo', currency: 'JPY', locale: 'ja' })
    const company = { company_name: 'Newcomer', email: 'new@x.test' }
    const made = (await admin.post('/tenants', company)).body.data
    assert.partialDeepStrictEqual(made, { timezone: 'Asia/Tokyo', currency: 'JPY', locale: 'ja' })
    const own = { timezone: 'Europe/Berlin', currency: 'EUR', locale: 'de' }
    const sent = (await admin.post('/tenants', { ...company, ...own })).body.data
    assert.deepEqual([sent.timezone, sent.currency, sent.locale], Object.values(own))
  })
})

describe('public settings', () => {
  it('tell anybody names, looks, rules and maintenance, and nothing else', async () => {
    await put({ app_name: 'Nordlicht', button_color: '#AA0000', mail_from_address: 'hidden@x.test', smtp_host: 'mail.internal' })
    const { status, body, raw } = await world.central().get('/public/settings')
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.data, { app_name: 'Nordlicht', button_color: '#AA0000', logo_url: null })
    assert.deepEqual(Object.keys(body.data).sort(), [
      'app_name',
      'auth_image_email_verify_url',
      'auth_image_forgot_password_url',
      'auth_image_login_url',
      'auth_image_register_url',
      'auth_image_reset_password_url',
      'button_color',
      'company_name',
      'currency',
      'date_format',
      'favicon_url',
      'founding_beta_apply_url',
      'founding_beta_enabled',
      'founding_beta_invite_ttl_days',
      'is_mail_delivered',
      'locale',
      'logo_url',
      'maintenance_eta',
      'maintenance_message',
      'maintenance_mode',
      'password_min_length',
      'password_require_special',
      'registration_enabled',
      'support_email',
      'time_format',
      'timezone',
    ])
    assert.ok(!raw.includes('hidden@x.test') && !raw.includes('mail.internal'))
  })

  it('say whether mails are delivered, and not by whom', async () => {
    const isDelivered = async () => (await world.central().get('/public/settings')).body.data.is_mail_delivered
    assert.equal(await isDelivered(), false)
    await put({ mail_provider: 'smtp' })
    assert.equal(await isDelivered(), true)
    await put({ mail_provider: null })
  })
})
