/** Reads and changes the settings of the platform. */
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { describedAs, type PlatformSetting, platformSettings, settingGroups } from '#kernel/modules/declared-settings.ts'
import { type PlatformSettingKey, readPlatformSettings, storePlatformSettings } from '#kernel/modules/platform-settings.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { storeWithGateways } from '#platform/payment-gateways/public.ts'

const declared = new Map<string, PlatformSetting>(Object.entries(platformSettings))

const Secret = z
  .object({ set: z.boolean().describe('Whether there is one.') })
  .meta({ id: 'SecretSetting', description: 'Whether there is one; it is never told.' })

const Group = (group: string) => {
  const settings = [...declared].filter(([, setting]) => setting.group === group)
  return z.object(
    Object.fromEntries(
      settings.map(([key, setting]) => [
        key,
        ((setting.secret ? Secret : setting.schema) as z.ZodType).meta({
          title: setting.title,
          description: describedAs(setting),
        }),
      ]),
    ),
  )
}

/** Settings in their groups; a secret as `{ set }`. */
export const SystemSettings = z.object({
  settings: z.object(
    Object.fromEntries(settingGroups.map((group) => [group, Group(group).describe(`The settings of the group ${group}.`)])),
  ),
})

const changeable = [...declared].filter(([, { readOnly }]) => !readOnly)
const documented = (setting: PlatformSetting) => ({
  ...z.toJSONSchema(setting.schema, { io: 'input', unrepresentable: 'any' }),
  title: setting.title,
  description: describedAs(setting),
  ...(setting.secret ? {} : { default: setting.default }),
})

/** SET-01. */
export const ChangedSettings = z.object({
  settings: z.record(z.string().max(100), z.unknown()).meta({
    description:
      'By key, alone or with its group: `app_name`, `general.app_name`. null takes one back to its default, where it may be null or is a secret.',
    override: ({ jsonSchema }) => {
      jsonSchema.properties = Object.fromEntries(changeable.map(([key, setting]) => [key, documented(setting)]))
    },
  }),
})

/** Returns every setting with its value or default; for secrets only whether they are set. */
export async function showSystemSettings(ctx: PlatformCtx): Promise<z.input<typeof SystemSettings>> {
  const plain = [...declared].filter(([, { secret }]) => !secret).map(([key]) => key as PlatformSettingKey)
  const [values, sealed] = await Promise.all([
    readPlatformSettings(ctx, plain) as Promise<Record<string, unknown>>,
    ctx.tx.selectFrom('platform_settings').select('key').where('sealed', 'is not', null).execute(),
  ])
  const isSet = new Set(sealed.map(({ key }) => key))
  const shown = Object.fromEntries(settingGroups.map((group) => [group, {} as Record<string, unknown>]))
  for (const [key, { group, secret }] of declared) shown[group]![key] = secret ? { set: isSet.has(key) } : values[key]
  return { settings: shown as never }
}

/**
 * Changes the sent settings, all or none. 422 on `settings.<key>` for an unknown key, an invalid value, or a setting that is
 * changed elsewhere. The audit log contains the keys but no values.
 */
export async function updateSystemSettings(ctx: PlatformCtx, sent: Record<string, unknown>) {
  const errors: Record<string, string> = {}
  const changes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(sent)) {
    const key = name.slice(name.indexOf('.') + 1)
    const setting = declared.get(key)
    const wrong = (said: string) => (errors[`settings.${name}`] = said)
    if (!setting || (name !== key && name !== `${setting.group}.${key}`)) wrong('There is no such setting.')
    else if (setting.readOnly) wrong('This setting is not changed here.')
    else if (key in changes) wrong('This setting is sent twice.')
    else {
      const { success, data, error } = z.safeParse(setting.schema, value)
      if (success) changes[key] = data
      else wrong(error.issues[0]?.message ?? 'This value is not right.')
    }
  }
  if (Object.keys(errors).length) throw invalid(errors)
  if (Object.keys(changes).length) {
    await storeWithGateways(ctx, changes, () => storePlatformSettings(ctx, changes))
    await audit(ctx, 'system_settings_updated', { keys: Object.keys(changes).sort() })
  }
  return showSystemSettings(ctx)
}
