import pino from 'pino'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { fillDemo } from '#kernel/demo/parts.ts'
import { readConfig } from '#kernel/process/config.ts'
import { startServices } from '#kernel/process/start.ts'
import { makeDemoWorkspace } from '../src/demo.ts'
import { multiply, spread } from './replicate.ts'
const config = readConfig({ DATA_DIR: '/tmp/skew', PORT: '4555', LOG_LEVEL: 'error' })
const services = await startServices(config, { worker: false, log: pino({ level: 'error' }) })
const { superuserUrl } = await startEmbedded({ dataDir: config.DATA_DIR })
const t = () => new Date().toISOString()
const small = await makeDemoWorkspace(services, 'correct horse battery')
await fillDemo(services, small.id, { records: 5, seed: 1 })
console.log(t(), 'small', small.id)
const large = await makeDemoWorkspace(services, 'correct horse battery')
await fillDemo(services, large.id, { records: 100, seed: 2 })
console.log(t(), 'large', large.id)
await spread(superuserUrl, small.id, Number(process.argv[2]))
console.log(t(), 'spread')
const copied = await multiply(superuserUrl, large.id, Number(process.argv[3]), (w) => console.log(t(), w))
console.log(copied.join())
await services.stop()
