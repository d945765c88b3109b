import type { Services } from '#kernel/context.ts'
import { startRedirects } from './redirects/redirects.ts'

export default async (services: Services) => startRedirects(services)
