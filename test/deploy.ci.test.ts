/**
 * Validates the files in `deploy/` with the tools of each format; Debian's are used where installed, as by `.ci/run operations`.
 */
// CI stage: operations
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import dockerfile from 'dockerfile-utils'
import * as apps from 'kubernetes-models/apps/v1'
import * as batch from 'kubernetes-models/batch/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import { parseAllDocuments } from 'yaml'
import { variables } from '#kernel/config.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'atrium-deploy-'))
after(() => rmSync(folder, { recursive: true }))

/** Returns why a program can't run; false: it can. */
const without = (program: string, ...args: string[]) =>
  spawnSync(program, args).error ? `needs ${program}, which .ci/run operations installs` : false

function asked(program: string, args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', ...env } })
  assert.equal(status, 0, `${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

describe('the Containerfile', () => {
  const text = read('deploy/Containerfile')

  it('is well-formed, and keeps to what hadolint asks', () => {
    assert.deepEqual(
      dockerfile.validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      [],
    )
    const stages = text.match(/^FROM .*/gm)!
    assert.equal(stages.length, 2)
    for (const one of stages) assert.match(one, /:[\w.-]+( AS \w+)?$/, 'a tag is named') // DL3006
    assert.doesNotMatch(text, /:latest\b|^ADD |\bsudo\b|^MAINTAINER /m)
    assert.match(text, /apt-get install -y --no-install-recommends [\s\S]*rm -rf \/var\/lib\/apt\/lists/) // DL3009, DL3014, DL3015
    for (const [, args] of text.matchAll(/^(?:CMD|ENTRYPOINT) (.*)$/gm)) assert.ok(Array.isArray(JSON.parse(args!))) // DL3025
  })

  it('ends as nobody in particular, without a shell, and starts as npm start does', () => {
    const last = text.slice(text.lastIndexOf('FROM '))
    assert.match(last, /^USER [1-9]\d*:[1-9]\d*$/m)
    assert.match(last, /^HEALTHCHECK /m)
    assert.doesNotMatch(last, /^RUN /m)
    const [, start] = /^ENTRYPOINT (.*)$/m.exec(last)!
    assert.equal(
      `exec ${(JSON.parse(start!) as string[]).join(' ').replace('node_modules/.bin/', '')} start`,
      JSON.parse(read('package.json')).scripts.start,
    )
  })
})

describe('the unit', () => {
  it('is the one that the page shows', () => {
    assert.ok(read('docs/operations.md').includes(`\`\`\`ini\n${read('deploy/atrium.service')}\`\`\`\n`))
  })

  it('is understood by systemd, which finds little to expose', { skip: without('systemd-analyze', '--version') }, () => {
    // Ignores the missing command and user.
    const unit = join(folder, 'atrium.service')
    copyFileSync(join(root, 'deploy/atrium.service'), unit)
    const said = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' }).stderr
    assert.deepEqual(
      said.split('\n').filter((line) => line.includes('atrium.service') && !line.includes('is not executable')),
      [],
    )
    const [, exposure] = /Overall exposure level for atrium.service: ([\d.]+)/.exec(
      asked('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]),
    )!
    assert.ok(Number(exposure) < 2.5, `exposure ${exposure}`)
  })
})

describe('compose', { skip: without('docker-compose', 'version') }, () => {
  for (const file of globSync('deploy/compose*.yaml', { cwd: root }))
    it(`${file} is understood`, () => {
      cpSync(join(root, 'deploy'), folder, { recursive: true })
      copyFileSync(join(root, 'deploy/atrium.env.example'), join(folder, 'atrium.env'))
      asked('docker-compose', ['-f', join(root, file).replace(join(root, 'deploy'), folder), 'config', '--quiet'], {
        DATABASE_PASSWORD: 'a',
        POSTGRES_PASSWORD: 'b',
      })
    })
})

it('the Caddyfile is understood', { skip: without('caddy', 'version') }, () => {
  asked('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(root, 'deploy/Caddyfile')], { HOME: folder })
})

it('each proxy refuses questions of TLS issuers from outside', () => {
  assert.match(read('deploy/Caddyfile'), /^\trespond \/internal\/\* 404$/m)
  const servers = ['docs/operations.md', 'docs/scaling.md'].flatMap((page) => read(page).match(/^server \{[\s\S]*?^\}/gm) ?? [])
  assert.ok(servers.length >= 2)
  for (const server of servers) assert.match(server, /^ {2}location \^~ \/internal\/ \{ return 404; \}/m)
})

describe('Kubernetes', () => {
  const kinds: Record<string, Record<string, unknown>> = { v1: core, 'apps/v1': apps, 'batch/v1': batch, 'policy/v1': policy }
  const files = globSync('deploy/kubernetes/*.yaml', { cwd: root })
  const objects = files.flatMap((file) => parseAllDocuments(read(file)).map((one) => ({ file, object: one.toJS() })))

  it('objects are as its schemas have them', () => {
    assert.ok(objects.length >= 8)
    for (const { file, object } of objects) {
      const Kind = kinds[object.apiVersion]?.[object.kind] as (new (data: unknown) => { validate(): void }) | undefined
      assert.ok(Kind, `${file}: ${object.apiVersion} ${object.kind}`)
      new Kind(object).validate()
    }
  })

  it('pods are nobody’s in particular, on a root that is read only, with bounds; those that serve are probed', () => {
    for (const { object } of objects) {
      const pod = object.spec?.template?.spec
      if (!pod) continue
      assert.equal(pod.securityContext.runAsNonRoot, true)
      for (const one of pod.containers) {
        assert.deepEqual(
          [
            one.securityContext.readOnlyRootFilesystem,
            one.securityContext.allowPrivilegeEscalation,
            one.securityContext.capabilities.drop,
          ],
          [true, false, ['ALL']],
        )
        assert.ok(one.resources.limits.memory && one.resources.requests.memory)
        if (one.name === 'api')
          assert.deepEqual([one.readinessProbe.httpGet.path, one.livenessProbe.httpGet.path], ['/readyz', '/healthz'])
      }
    }
  })
})

it('no secret has a value that whoever copies the example would share with others', () => {
  const secret = /^(\w*(?:KEY|TOKEN|PASSWORD|SECRET)\w*)=(.+)$/gm
  assert.deepEqual(
    [...read('deploy/atrium.env.example').matchAll(secret)].map(([, name]) => name),
    [],
  )
})

it('every setting that is named is one', () => {
  const named = [
    ...read('deploy/atrium.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm),
    ...globSync('deploy/compose*.yaml', { cwd: root }).flatMap((file) => [...read(file).matchAll(/^ +([A-Z][A-Z0-9_]+): .*$/gm)]),
    ...read('deploy/kubernetes/settings.yaml').matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm),
  ].map(([, name]) => name!)
  /** Variables of the images of PostgreSQL and PgBouncer. */
  const others = /^(POSTGRES_|PG|DB_|LISTEN_PORT|AUTH_TYPE|POOL_MODE|MAX_CLIENT_CONN|DEFAULT_POOL_SIZE|ATRIUM_PASSWORD|S3_SECRET)/
  assert.deepEqual(
    [...new Set(named)].filter((name) => !(name in variables) && !others.test(name)),
    [],
  )
})
