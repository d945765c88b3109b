/** A worker process with the modules of some folders, as `main.ts worker` is one with those of src: `node test/worker.ts <root>…` */
import { readConfig } from '#kernel/config.ts'
import { startServices } from '#kernel/process/start.ts'

const services = await startServices(readConfig(process.env), { worker: true, migrate: false, roots: process.argv.slice(2) })
process.once('SIGTERM', async () => {
  await services.stop()
  process.exit(0)
})
console.log('The worker is ready (test).')
