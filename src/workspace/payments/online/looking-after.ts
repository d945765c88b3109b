/** Reconciles checkouts whose event was lost, by querying the provider. */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { DAY, HOUR, plusSeconds } from '#kernel/values/time.ts'
import type { Checkout } from './checkouts.ts'
import { methodOf, providerOf } from './methods.ts'
import { applyNews } from './provider-news.ts'

const BATCH = 50
const WORKSPACES = 1000
/** Transfers and debits take days. Checkouts are given up after this time. */
const GIVEN_UP_SECONDS = 30 * DAY

/** Every five minutes: finds workspaces with checkouts that are due for a check. */
export const findLost = defineJob({
  name: 'payments-find-checkouts',
  schedule: '*/5 * * * *',
  unique: 'both',
  run: (services: Services) =>
    inPublic(originOf(services), 'write', async (ctx) => {
      const { rows } = await sql<{ tenantId: number }>`
        select distinct tenant_id as "tenantId" from payment_checkouts where next_check_at <= ${ctx.now} order by 1 limit ${WORKSPACES}`.execute(
        ctx.tx,
      )
      const sent = rows.map(({ tenantId }) => ({ tenantId, data: {} }))
      if (sent.length) await services.queue.sendAll(ctx, lookAfter, sent)
    }),
})

export const lookAfter = defineWorkspaceJob({
  name: 'payments-look-after-checkouts',
  unique: 'waiting',
  data: z.object({}),
  transactions: 'own',
  async run(steps) {
    const { due, method } = await steps.read(async (ctx) => ({
      due: await dueCheckouts(ctx),
      method: await methodOf(ctx, 'stripe'),
    }))
    const provider = method && (await providerOf(steps.services, method))
    for (const checkout of due) {
      const news = await provider?.lookAt(checkout.reference!).catch(unanswered(steps, checkout))
      await steps.write(async (ctx) => {
        await ctx
          .update('payment_checkouts')
          .set({ next_check_at: nextCheck(ctx.now, checkout) })
          .where('uuid', '=', checkout.uuid)
          .execute()
        if (news?.uuid === checkout.uuid) await applyNews(ctx, news)
      })
    }
  },
})

const dueCheckouts = (ctx: Ctx) =>
  ctx
    .from('payment_checkouts')
    .selectAll()
    .where('next_check_at', '<=', ctx.now)
    .where('reference', 'is not', null)
    .orderBy('next_check_at')
    .limit(BATCH)
    .execute()

const unanswered =
  ({ log, tenant }: WorkspaceSteps, { uuid }: Checkout) =>
  (error: Error) => {
    log.warn({ err: error, tenant: tenant.id, checkout: uuid }, 'the provider does not say what became of a page')
    return undefined
  }

/** Returns the time of the next check: every quarter of an hour at first, later every six hours. Null when it is given up. */
function nextCheck(now: string, { created_at }: Checkout): string | null {
  if (plusSeconds(created_at, GIVEN_UP_SECONDS) < now) return null
  return plusSeconds(now, plusSeconds(created_at, 2 * HOUR) > now ? HOUR / 4 : 6 * HOUR)
}
