/**
 * Worker process with the modules of some folders, as `main.ts worker` with those of src: `node test/worker.ts <root>…` Its clock
 * is TEST_CLOCK_AHEAD milliseconds ahead of the machine's, like the test's.
 */
import { readConfig } from '#kernel/config.ts'
import { startServices } from '#kernel/process/start.ts'

const ahead = Number(process.env.TEST_CLOCK_AHEAD ?? 0)
const clock = { now: () => new Date(Date.now() + ahead).toISOString() }
const services = await startServices(readConfig(process.env), {
  clock,
  worker: true,
  migrate: false,
  roots: process.argv.slice(2),
})
process.once('SIGTERM', async () => {
  await services.stop()
  process.exit(0)
})
console.log('The worker is ready (test).')
