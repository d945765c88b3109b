/** A connection to the ad platform with one page, and the leads that its forms brought. Its tokens open nothing. */
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import { TOKEN_PURPOSE } from './connection.ts'

const DELIVERIES = 6

export async function makeSocialAds(ctx: Ctx, { calendar, people, random, say }: Plan) {
  const { secrets } = ctx.services
  const connected_at = calendar.instant(calendar.days - 60)!
  await insertAll(ctx, 'lead_ad_connections', [
    {
      ...{ is_enabled: true, default_source: say({ en: 'Social ads', de: 'Anzeigen' }) },
      // Bytes travel to the database as hexadecimal.
      account_token: hex(secrets.encrypt(TOKEN_PURPOSE, 'no account')),
      ...{ connected_by: people[0]!.id, connected_at, created_at: connected_at, updated_at: connected_at },
    },
  ])
  const page_id = `10${ctx.tenant.id}5550100`
  await insertAll(ctx, 'lead_ad_pages', [
    {
      ...{ page_id, name: ctx.tenant.name, token: hex(secrets.encrypt(TOKEN_PURPOSE, 'no page')) },
      ...{ is_subscribed: true, created_at: connected_at },
    },
  ])
  const leads = await ctx.tx
    .selectFrom('leads')
    .select(['id', 'created_at'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('created_at', '>', connected_at)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(DELIVERIES)
    .execute()
  const accepted = leads.map(({ id, created_at }) => ({
    lead_id: id,
    outcome: 'accepted' as const,
    reason: null,
    at: created_at,
  }))
  const failed = {
    ...{ lead_id: null, outcome: 'failed' as const, at: calendar.instant(calendar.days - 9)! },
    reason: 'The lead has neither a name nor an e-mail address.',
  }
  await insertRows(
    ctx,
    'lead_ad_deliveries',
    [...accepted, failed].map(({ at, ...one }, n) => ({
      ...one,
      ...{ leadgen_id: `${page_id}${random.whole(1000, 9999)}${n}`, page_id, created_at: at, updated_at: at },
    })),
  )
}

const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}` as unknown as Buffer
