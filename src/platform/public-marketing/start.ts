import type { Services } from '#kernel/context.ts'
import { forgetModules } from './modules.ts'
import { watchUptime } from './uptime.ts'

export default async function start(services: Services) {
  const forget = () => forgetModules(services)
  const endListening = services.channel.on('catalogue.changed', forget, forget)
  const endWatching = watchUptime(services)
  return async () => {
    endListening()
    await endWatching()
  }
}
