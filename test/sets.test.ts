/** Every test file is run: by `npm test`, or completely by one stage of `.ci/run`. Generated suites include changed modules. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { overBudget } from './budgets.ts'
import { isSampled, samplingFor } from './sampling.ts'
import { describeFile, filesOfStage, PEER_STAGES, testFiles } from './sets.ts'

const root = join(import.meta.dirname, '..')
const files = testFiles(root)
/** Regular stages, and those run by name only. */
const stages = new Set(
  [...readFileSync(join(root, '.ci/run'), 'utf8').matchAll(/^(?:stages|others)=\((.*)\)$/gm)].flatMap(([, names]) =>
    names!.split(' '),
  ),
)

describe('a test file', () => {
  it('is run whole by one stage of .ci/run', () => {
    const lost = files.filter(({ stage }) => !stage || !stages.has(stage)).map(({ path, stage }) => `${path}: ${stage}`)
    assert.deepEqual(lost, [], 'Say `// CI stage: <name>` at the top of a *.ci.test.ts, with a stage of .ci/run.')
  })

  it('is run again only on another peer', () => {
    const twice = files.flatMap(({ path, stage, peers }) =>
      peers
        .filter((peer) => peer === stage || !(PEER_STAGES as readonly string[]).includes(peer))
        .map((peer) => `${path}: ${peer}`),
    )
    assert.deepEqual(twice, [])
  })

  it('names a stage only where it is named *.ci.test.ts', () => {
    const idle = files.filter(
      ({ path, stage }) => stage === 'tests' && /^\/\/ CI stage: /m.test(readFileSync(join(root, path), 'utf8')),
    )
    assert.deepEqual(idle, [])
  })

  it('is described by its head', () => {
    const head = '/** Kills. */\n// CI stage: kills\n// Also in CI: citus, debian\n// Own process: memory is measured.\n'
    assert.deepEqual(describeFile('test/a.ci.test.ts', head), {
      path: 'test/a.ci.test.ts',
      stage: 'kills',
      peers: ['citus', 'debian'],
      isAlone: true,
    })
    assert.equal(describeFile('test/a.ci.test.ts', '').stage, undefined)
  })
})

describe('a stage of .ci/run that runs test files', () => {
  it('has some', () => {
    const withFiles = [...readFileSync(join(root, '.ci/run'), 'utf8').matchAll(/\bfiles_of ([a-z-]+)/g)].map(([, name]) => name!)
    assert.deepEqual(
      withFiles.filter((name) => !filesOfStage(name, files).length),
      [],
    )
  })
})

describe('a generated suite', () => {
  it('takes every case of a changed module, and one in eight of the others', () => {
    const sampling = samplingFor(['src/workspace/vendors/routes.ts', 'docs/tour.md'], 'a day')
    assert.deepEqual(sampling, { share: 8, changed: ['vendors'], seed: 'a day' })
    const keys = Array.from({ length: 4000 }, (_, n) => `GET /route-${n}`)
    assert.equal(keys.filter((key) => isSampled(key, 'vendors', sampling)).length, 4000)
    const others = keys.filter((key) => isSampled(key, 'leads', sampling)).length
    assert.ok(others > 400 && others < 600, `${others}`)
  })

  it('takes one in two where the kernel, a migration or the tests have changed', () => {
    for (const path of ['src/kernel/http/serve.ts', 'src/workspace/leads/migrations/20270101000000-a.sql', 'test/harness.ts'])
      assert.equal(samplingFor([path], '').share, 2, path)
  })

  it('takes every case where the run says so', () => {
    assert.equal(isSampled('GET /vendors', 'vendors', { share: 1, changed: [], seed: '' }), true)
  })
})

describe('a budget of CPU time', () => {
  const files = [
    { path: 'test/a.test.ts', cpu: 12_100 },
    { path: 'test/b.test.ts', cpu: 11_900 },
    { path: 'test/c.test.ts', cpu: 19_000 },
  ]

  it('is twelve seconds of a file that has none of its own', () => {
    assert.deepEqual(overBudget(files, 100, { 'test/c.test.ts': 20 }), [
      'test/a.test.ts took 12.1 s of CPU time, more than its 12.',
    ])
  })

  it('is there for all files together', () => {
    assert.deepEqual(overBudget(files.slice(1), 20, { 'test/c.test.ts': 20 }), [
      'All files took 30.9 s of CPU time, more than 20.',
    ])
  })

  it('is there for each stage of .ci/run', () => {
    const budgets = readFileSync(join(root, '.ci/budgets'), 'utf8')
      .split('\n')
      .filter((line) => /^[a-z]/.test(line))
    assert.deepEqual(budgets.map((line) => line.split(/\s+/)[0]!).toSorted(), [...stages].toSorted())
    for (const line of budgets) assert.match(line, /^[a-z-]+ +\d+$/)
  })
})
