/** Event feed for the platform's endpoints. */
import { type Ctx, type PlatformCtx, platformAbilities } from '#kernel/context.ts'
import type { Feed } from '#kernel/webhooks/side.ts'
import { placePlatformEvents, platformEventsBetween, platformEventTypes, readPlatformFeed } from '#platform/events/public.ts'
import { makerOf } from './maker.ts'

/** Casts the context of the platform's scope: it is a platform context with a workspace added. */
const own = (ctx: Ctx) => ctx as unknown as PlatformCtx

export const feed: Feed = {
  types: platformEventTypes,
  place: (ctx) => placePlatformEvents(own(ctx)),
  read: (ctx, query) => readPlatformFeed(own(ctx), { ...query, lost: 'skip' }),
  between: platformEventsBetween,
  async maker(services, endpoint) {
    const maker = await makerOf(services, endpoint)
    return 'ended' in maker
      ? maker
      : (ctx) => ({ ...ctx, ...(platformAbilities(maker) as Pick<Ctx, 'actor' | 'can' | 'require'>) })
  },
}
