/** Reads and changes the workspace's settings. Time zone, currency and locale are columns of the workspace. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import type { SettingKey } from '#kernel/names.ts'
import { currency, timezone } from '#kernel/values/fields.ts'
import { locale } from '#kernel/values/locale.ts'

/** Settings stored as columns of the workspace. */
const workspaceColumns = new Map<string, z.core.$ZodType>([
  ['timezone', timezone()],
  ['currency', currency()],
  ['locale', locale()],
])

/** The API documents list every setting with its own schema: those of modules, which the kernel adds, and the workspace's. */
export const Settings = z.object({
  settings: z.record(z.string().max(100), z.unknown()).meta({
    description:
      'By key. With a change, those that are sent; an unknown key or a wrong value is a 422 on `settings.<key>`, and nothing is changed.',
    override: ({ jsonSchema }) => {
      Object.assign(jsonSchema, {
        'x-settings': 'workspace',
        properties: Object.fromEntries(
          [...workspaceColumns].map(([key, schema]) => [key, z.toJSONSchema(schema, { io: 'input' })]),
        ),
      })
    },
  }),
})

/** Returns every setting with its value or default. */
export async function showSettings(ctx: Ctx): Promise<z.input<typeof Settings>> {
  const [stored, workspace] = await Promise.all([
    ctx.services.readSettings(ctx.tx, ctx.tenant.id),
    ctx.tx
      .selectFrom('tenants')
      .select(['timezone', 'currency', 'locale'])
      .where('id', '=', ctx.tenant.id)
      .executeTakeFirstOrThrow(),
  ])
  return { settings: { ...workspace, ...stored } }
}

/** Changes the sent keys; an unknown key or an invalid value is a 422 on `settings.<key>`, and nothing is changed. */
export async function updateSettings(ctx: Ctx, sent: Record<string, unknown>) {
  const errors: Record<string, string> = {}
  const onWorkspace: Record<string, unknown> = {}
  const rows: { tenant_id: number; key: string; value: string; updated_at: string }[] = []
  for (const [key, value] of Object.entries(sent)) {
    const setting = ctx.services.modules.settings.get(key)
    const schema = workspaceColumns.get(key) ?? setting?.schema
    const parsed = schema && z.safeParse(schema, value)
    if (!parsed) errors[`settings.${key}`] = 'There is no such setting.'
    else if (setting?.ownerOnly && !isOwnerInPerson(ctx))
      errors[`settings.${key}`] = 'Only the owner may change this, signed in themselves.'
    else if (!parsed.success) errors[`settings.${key}`] = parsed.error.issues[0]?.message ?? 'This value is not right.'
    else if (setting?.refuse?.(parsed.data, ctx.now)) errors[`settings.${key}`] = setting.refuse(parsed.data, ctx.now)!
    else if (workspaceColumns.has(key)) onWorkspace[key] = parsed.data
    else rows.push({ tenant_id: ctx.tenant.id, key, value: JSON.stringify(parsed.data), updated_at: ctx.now })
  }
  if (Object.keys(errors).length) throw invalid(errors)
  if (Object.keys(onWorkspace).length)
    await ctx.tx.updateTable('tenants').set(onWorkspace).where('id', '=', ctx.tenant.id).execute()
  const before = rows.length ? await ctx.services.readSettings(ctx.tx, ctx.tenant.id) : undefined
  if (rows.length)
    await ctx.tx
      .insertInto('workspace_settings')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'key'])
          .doUpdateSet((eb) => ({ value: eb.ref('excluded.value'), updated_at: eb.ref('excluded.updated_at') })),
      )
      .execute()
  for (const { key, value } of rows)
    if (JSON.stringify(before![key as SettingKey]) !== value)
      await emit(ctx, 'setting.changed', { key, value: JSON.parse(value) })
  return showSettings(ctx)
}

const isOwnerInPerson = ({ actor, request }: Ctx) => actor.isOwner && !actor.key && !actor.impersonator && !request.isAgent
