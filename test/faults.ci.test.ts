/** Behaviour of a serving process on uncaught errors, as an operator sees it. */
// CI stage: processes
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN, privateFolder, startService } from './service.ts'

/** Signals trigger the two kinds of failure. */
const faulty = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => void Promise.reject(new Error('nobody listens')))
  process.on('SIGHUP', () => setImmediate(() => { throw new Error('nothing catches') }))
`)}`

const metric = async (url: string, name: string) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return text.split('\n').find((line) => line.startsWith(name))
}
const answers = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

test('A rejection that nobody listens to is logged and counted; an exception that nothing catches begins the process anew', async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const port = '0'
  const service = await startService({ ...ADMIN, DATA_DIR: dataDir, PORT: port, NODE_OPTIONS: `--import=${faulty}` })
  t.after(() => service.stop())
  const { pid } = service.process

  process.kill(pid!, 'SIGUSR2')
  while (!service.output().includes('nobody listens')) await sleep(20)
  assert.ok(await answers(service.url))
  assert.match((await metric(service.url, 'process_faults_total{kind="rejection"}')) ?? '', / 1$/)

  process.kill(pid!, 'SIGHUP')
  while (service.output().split(' is ready (').length < 3) await sleep(50)
  const [, again] = [...service.output().matchAll(/API reference +(\S+)\/docs/g)].map(([, url]) => url!)
  assert.match(service.output(), /nothing catches/)
  assert.ok(await answers(again!))
  assert.equal(service.process.exitCode, null)
})
