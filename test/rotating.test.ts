/**
 * Rotation of APP_KEY: data of the former key stays readable, `rotate-key` encrypts it again, and then the former key isn't
 * needed.
 */
// Also in CI: citus-short, debian
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { recoveryHash, recoveryHashes } from '#kernel/auth/two-factor/codes.ts'
import { rotateKey, sealedColumnsOf } from '#kernel/process/rotating.ts'
import { secretsWith } from '#kernel/secrets/secrets.ts'
import { PASSWORD, startTest } from './harness.ts'

const root = join(import.meta.dirname, '..')
const world = await startTest()
const { services } = world
const { APP_KEY: former } = services.config
const next = randomBytes(32)

describe('every encrypted column', () => {
  /** Binary columns that are hashes, public keys or not secret. */
  const PLAIN = /(_hash|sha256)$|^passkeys\.public_key$|^email_attachments\.content$/

  it('is declared: a new one of bytes is either a hash by its name, or named by its feature', async () => {
    const rows = await world.sql(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY 1`,
    )
    const declared = (await sealedColumnsOf(services.modules)).map(({ table, column }) => `${table}.${column}`)
    assert.deepEqual(
      declared.sort(),
      rows.map(({ name }) => name).filter((name) => !PLAIN.test(name)),
    )
  })

  it('is declared where it is encrypted', () => {
    const files = globSync('src/**/*.ts', { cwd: root }).filter((path) => !/test\.ts$|\/demo\//.test(path))
    const read = (path: string) => readFileSync(join(root, path), 'utf8')
    const undeclared = files.filter(
      (path) => /secrets\.encrypt\(/.test(read(path)) && !/sealedColumns|TOKEN_PURPOSE/.test(read(path)),
    )
    assert.deepEqual(undeclared, [])
  })
})

describe('a key behind another', () => {
  const both = secretsWith(next, [former])

  it('opens and proves what was made by it; what is new is made by the present one alone', () => {
    const sealed = services.secrets.encrypt('a', 'text')
    assert.equal(both.decrypt('a', sealed), 'text')
    assert.throws(() => both.decrypt('b', sealed))
    assert.throws(() => secretsWith(next).decrypt('a', sealed))
    assert.equal(both.verify('a', 'text', services.secrets.sign('a', 'text')), true)
    assert.equal(both.verify('a', 'other', services.secrets.sign('a', 'text')), false)
    assert.equal(both.sign('a', 'text'), secretsWith(next).sign('a', 'text'))
    assert.equal(secretsWith(next).decrypt('a', both.renewed('a', sealed)!), 'text')
    assert.equal(both.renewed('a', both.encrypt('a', 'text')), undefined)
    assert.ok(recoveryHashes(both, 'abcde-fghjk').includes(recoveryHash(services.secrets, 'ABCDE fghjk')))
    const ofEarlierVersions = services.secrets.sign('recovery-code', 'abcdefghjk')
    assert.ok(recoveryHashes(both, 'abcde-fghjk').includes(ofEarlierVersions))
  })
})

describe('rotate-key', () => {
  it('encrypts all anew in batches, tells no secret, may be called again, and says what is lost', async () => {
    const firm = await world.workspace({ modules: ['leads', 'payments', 'invoices'] })
    const hook = (await firm.owner.post('/leads/integrations/webhooks', { name: 'Website' })).body.data
    const factor = (await firm.owner.post('/me/two-factor', { password: PASSWORD })).body.data
    const code = new TOTP({ secret: factor.secret }).generate({ timestamp: Date.parse(world.clock.now()) })
    assert.equal((await firm.owner.post('/me/two-factor/confirm', { code })).status, 200)
    assert.equal((await world.admin.put('/system-settings', { settings: { smtp_password: 'of the mail server' } })).status, 200)
    // More than a batch of another column, one encrypted with an unknown key.
    await world.sql(
      `INSERT INTO idempotency_keys (tenant_id, key_hash, body_hash, status, reply, created_at)
       SELECT $1, decode(md5(n::text), 'hex'), '', 200, $2, now() FROM generate_series(1, 1200) n`,
      [firm.id, services.secrets.encrypt('idempotency', 'kept')],
    )
    const strange = secretsWith(randomBytes(32)).encrypt('idempotency', 'strange')
    await world.sql(`UPDATE idempotency_keys SET reply = $1 WHERE key_hash = decode(md5('7'), 'hex')`, [strange])

    const said: string[] = []
    const run = () => rotateKey({ ...services, secrets: secretsWith(next, [former]) }, (text) => void said.push(text))
    const first = await run()
    assert.deepEqual([first.lost, first.formerCodes], [1, 1])
    assert.ok(first.renewed >= 1202, `${first.renewed}`)
    const text = said.join('\n')
    assert.match(text, /^idempotency_keys\.reply: 1199 encrypted anew, 1 opened by no key$/m)
    for (const name of ['lead_webhook_endpoints.signing_secret', 'two_factors.secret', 'platform_settings.sealed'])
      assert.ok(text.includes(`${name}: 1 encrypted anew`), text)
    for (const secret of [
      hook.signing_secret,
      factor.secret,
      'of the mail server',
      former.toString('base64'),
      next.toString('base64'),
    ])
      assert.ok(!text.includes(secret))

    const alone = secretsWith(next)
    const [{ signing_secret }] = await world.sql('SELECT signing_secret FROM lead_webhook_endpoints')
    const [{ secret }] = await world.sql('SELECT secret FROM two_factors')
    assert.equal(alone.decrypt('lead webhook signing secret', signing_secret), hook.signing_secret)
    assert.equal(alone.decrypt('two-factor-secret', secret), factor.secret)

    assert.deepEqual(await run(), { renewed: 0, lost: 1, formerCodes: 1 })
    await world.sql(`DELETE FROM idempotency_keys WHERE reply = $1`, [strange])
    said.length = 0
    await run()
    assert.match(
      said.join('\n'),
      /No stored secret needs a former key any more\.\nRecovery codes of 1 accounts are good as long as/,
    )
  })
})
