/** Preferences for push and mail by notification type. In the application every notification is stored regardless. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { CATEGORIES } from '#kernel/modules/notifications.ts'
import { choice, coded } from '#kernel/values/fields.ts'
import type { News } from './audience.ts'
import { factsOf, TYPES, typeWords } from './catalogue.ts'

export const Preferences = z
  .object({
    preferences: z
      .array(
        z.object({
          type: coded(z.enum(TYPES), typeWords).describe('The type of notification.'),
          title: z.string(),
          category: z.enum(CATEGORIES),
          in_app: z.literal(true).describe('Always true: the list has all of them.'),
          push: z.boolean().describe('Whether devices are told too.'),
          mail: z
            .boolean()
            .nullable()
            .meta({ description: 'Null: never mailed. Nothing is while the setting email_notifications is off.' }),
        }),
      )
      .describe('One for each type of notification.'),
  })
  .meta({ id: 'NotificationPreferences' })

const flag = () => z.boolean('Must be true or false.').optional()
export const ChangePreferences = z.object({
  preferences: z
    .array(
      z.object({
        type: coded(choice(TYPES), typeWords).describe('The type of notification.'),
        push: flag().describe('Whether devices are told too.'),
        mail: flag().describe('Whether a mail is sent too.'),
      }),
    )
    .min(1, 'Must name at least one type.')
    .max(TYPES.length, `Must be at most ${TYPES.length} types.`)
    .describe('Those to change.'),
})

/** Returns the stored preferences of these users. */
const saidBy = (ctx: Ctx, userIds: number[]) =>
  ctx.from('notification_preferences').select(['user_id', 'type', 'push', 'mail']).where('user_id', 'in', userIds).execute()

/** Returns the actor's effective preferences for every type. */
export async function showPreferences(ctx: Ctx): Promise<z.input<typeof Preferences>> {
  const own = new Map((await saidBy(ctx, [ctx.actor.id!])).map((one) => [one.type, one]))
  return {
    preferences: TYPES.map((type) => {
      const said = own.get(type)
      const { category, title, unmailed } = factsOf(type)
      return { type, title, category, in_app: true, push: said?.push ?? true, mail: unmailed ? null : (said?.mail ?? true) }
    }),
  }
}

/** Changes the preferences of the given types; for a repeated type the last entry counts. */
export async function changePreferences(ctx: Ctx, { preferences }: z.output<typeof ChangePreferences>) {
  const changes = [...new Map(preferences.map((one) => [one.type, one])).values()]
  await sql`
    insert into notification_preferences as p (tenant_id, user_id, type, push, mail, updated_at)
    select ${ctx.tenant.id}, ${ctx.actor.id}, type, push, mail, ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c(type text, push boolean, mail boolean) order by type
    on conflict (tenant_id, user_id, type) do update
    set push = coalesce(excluded.push, p.push), mail = coalesce(excluded.mail, p.mail), updated_at = excluded.updated_at
    returning 1`.execute(ctx.tx)
  return showPreferences(ctx)
}

/** Returns the notifications that their users also want on this channel. */
export async function wantedOn(channel: 'push' | 'mail', ctx: Ctx, news: News[]): Promise<News[]> {
  if (!news.length) return []
  const userIds = [...new Set(news.map(({ viewer }) => viewer.id))]
  const unwanted = (await saidBy(ctx, userIds)).filter((said) => said[channel] === false)
  const refused = new Set(unwanted.map(({ user_id, type }) => `${user_id} ${type}`))
  return news.filter(({ viewer, type }) => !refused.has(`${viewer.id} ${type}`))
}
