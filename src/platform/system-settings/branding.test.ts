import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { operator } from '#test/operator.ts'

const world = await startTest()
const { admin } = world
const MB = 1024 * 1024
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const ICO = Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0]), Buffer.alloc(64)])
const file = (content: Buffer | string, name = 'a.png') => new File([content as Buffer<ArrayBuffer>], name)
const large = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)])
const upload = (asset: string, content: Buffer | string, name?: string) =>
  admin.post(`/system-settings/branding/${asset}`, { file: file(content, name) })
const assets = [
  'logo',
  'favicon',
  ...['login', 'register', 'forgot-password', 'reset-password', 'email-verify'].map((page) => `auth-image-${page}`),
]
const kept = async () => (await world.sql(`SELECT key FROM stored_files WHERE state = 'kept'`)).map(({ key }) => key)

describe('a picture of the platform', () => {
  it('is for those who may change settings, of the named kinds, and judged by its bytes (SET-04)', async () => {
    const lister = await operator(world, ['system-settings.list'])
    assert.equal((await world.central().post('/system-settings/branding/logo', { file: file(PNG) })).status, 401)
    assert.equal((await lister.post('/system-settings/branding/logo', { file: file(PNG) })).status, 403)
    for (const asset of ['banner', 'logo_path', 'constructor', 'LOGO'])
      assert.equal((await upload(asset, PNG)).status, 404, asset)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for (const { asset, content, name } of [
      { asset: 'logo', content: svg, name: 'logo.svg' },
      { asset: 'favicon', content: svg, name: 'favicon.png' },
      { asset: 'logo', content: `<?xml version="1.0"?>${svg}`, name: 'logo.png' },
      { asset: 'logo', content: '<html><script>alert(1)</script>', name: 'logo.png' },
      { asset: 'logo', content: 'GIF89a', name: 'logo.png' },
      { asset: 'logo', content: '', name: 'logo.png' },
      { asset: 'logo', content: ICO, name: 'logo.ico' },
      { asset: 'logo', content: large(2 * MB + 1), name: 'logo.png' },
      { asset: 'favicon', content: large(3 * MB), name: 'favicon.png' },
      { asset: 'auth-image-login', content: large(8 * MB + 1), name: 'login.png' },
    ] as const) {
      const { status, body } = await upload(asset, content, name)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['file']], `${asset} ${name}`)
    }
    for (const body of [{}, { file: 'text' }])
      assert.equal((await admin.post('/system-settings/branding/logo', body)).status, 422)
    assert.deepEqual(await kept(), [])
  })

  it('takes the place of the former one, which is gone', async () => {
    const { status, body } = await upload('logo', PNG)
    assert.equal(status, 200)
    const path = () => body.data.url.replace('http://atrium.test', '')
    const first = await world.root.get(path())
    assert.deepEqual([first.status, first.headers['content-type'], first.raw.equals(PNG)], [200, 'image/png', true])
    const second = await upload('logo', large(2 * MB))
    assert.notEqual(second.body.data.path, body.data.path)
    assert.deepEqual(await kept(), [second.body.data.path])
    assert.equal((await world.root.get(path())).status, 404)
    const shown = (await world.central().get('/public/settings')).body.data
    assert.equal(shown.logo_url, second.body.data.url)
    assert.equal((await admin.get('/system-settings')).body.data.settings.branding.logo_path, second.body.data.path)
  })

  it('is one of seven, with room for larger ones beside the forms (SET-03, SET-04)', async () => {
    for (const asset of assets) {
      const content = asset === 'favicon' ? ICO : asset === 'logo' ? PNG : large(5 * MB)
      assert.equal((await upload(asset, content)).status, 200, asset)
    }
    const shown = (await world.central().get('/public/settings')).body.data
    assert.ok(Object.entries(shown).every(([key, value]) => !key.endsWith('_url') || key === 'founding_beta_apply_url' || value))
  })

  it('is left once when two come at once', async () => {
    const before = await kept()
    const replies = await Promise.all([1, 2, 3, 4].map((n) => upload('favicon', large(1000 + n))))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const after = await kept()
    assert.equal(after.length, before.length)
    const { favicon_path } = (await admin.get('/system-settings')).body.data.settings.branding
    assert.ok(after.includes(favicon_path) && replies.some(({ body }) => body.data.path === favicon_path))
  })

  it('stands in mails and on pages, with the colour and the address of help, as text and never as markup (SET-09)', async () => {
    const support_email = "o'help+more@nordlicht.test"
    await admin.put('/system-settings', { settings: { app_name: 'Nord & <Licht>', button_color: '#AB12CD', support_email } })
    const { branding } = (await admin.get('/system-settings')).body.data.settings
    const url = (key: string) => world.services.storage.url(branding[key]).replaceAll('&', '&amp;')
    const page = (await world.root.get('/register')).raw.toString()
    for (const part of [
      url('logo_path'),
      url('favicon_path'),
      url('auth_image_register_path'),
      '#AB12CD',
      'Nord &amp; &lt;Licht&gt;',
    ])
      assert.ok(page.includes(part), part)
    assert.ok(page.includes('mailto:o&#39;help+more@nordlicht.test'))
    await admin.post('/system-settings/test-mail', { email: 'ops@x.test' })
    const [mail] = await world.sql(
      `SELECT body_html, body_text, subject FROM email_logs WHERE notification_type = 'system.test_mail'`,
    )
    for (const part of [url('logo_path'), 'mailto:o&#39;help+more@nordlicht.test', 'Nord &amp; &lt;Licht&gt;', '#AB12CD'])
      assert.ok(mail.body_html.includes(part), part)
    assert.ok(mail.body_text.includes(support_email))
  })
})
