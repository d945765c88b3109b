/** The events of the platform, as its endpoints are told of them. */
import { type Ctx, type PlatformCtx, platformAbilities } from '#kernel/context.ts'
import type { Feed } from '#kernel/webhooks/side.ts'
import { placePlatformEvents, platformEventsBetween, platformEventTypes, readPlatformFeed } from '#platform/events/public.ts'
import { makerOf } from './maker.ts'

/** The machine's ctx of the platform's side is the platform's, with a workspace beside. */
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
