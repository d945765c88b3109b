/**
 * Settings of a workspace and of the platform as form fields, derived from their schemas. Settings of a new module appear
 * automatically.
 */
import { z } from 'zod'
import { type PlatformSetting, platformSettings, settingGroups } from '#kernel/modules/declared-settings.ts'
import type { Modules, Setting } from '#kernel/modules/module.ts'
import { currency, timezone } from '#kernel/values/fields.ts'
import { locale } from '#kernel/values/locale.ts'
import { humanised } from '#kernel/values/words.ts'
import { formFields } from './fields.ts'
import { Field } from './screen.ts'

/** A group of settings. */
export const SettingGroup = z
  .object({
    module: z
      .string()
      .nullable()
      .meta({
        description: 'Key of the module whose they are; null: of the workspace or the platform itself.',
        examples: ['fleet'],
      }),
    title: z.string().meta({ description: 'What people read.', examples: ['Vendors'] }),
    fields: z.array(Field).describe('Each setting by its key, as it is taken.'),
  })
  .meta({ id: 'SettingGroup' })
export type SettingGroup = z.infer<typeof SettingGroup>

/** Module with the company's data on documents. */
const FIRM = 'settings'
/** Module with the language of documents, shown next to the workspace's own language. */
const LANGUAGE = 'document-texts'

interface Viewer {
  entitled(module: string): boolean
  isOwner: boolean
}

/**
 * Returns the settings that a user may change: the company's first, then the workspace's, then those of installed modules by
 * title.
 */
export function settingsFor({ workspace }: Modules, { entitled, isOwner }: Viewer): SettingGroup[] {
  const own: SettingGroup = {
    ...{ module: null, title: 'Workspace' },
    fields: asked({ timezone: timezone(), currency: currency(), locale: locale() }),
  }
  const groups = [...workspace.values()]
    .filter(({ key, settings }) => settings && entitled(key))
    .toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
    .map(({ key, title, settings = {} }): SettingGroup => {
      const open = Object.entries(settings).filter(([, { ownerOnly }]) => isOwner || !ownerOnly)
      const fields = asked(Object.fromEntries(open.map(([name, { schema }]) => [name, schema])))
      return {
        module: key,
        title: key === FIRM ? 'Firm' : title,
        fields: fields.map((field) => named(field, settings[field.name]!)),
      }
    })
    .filter(({ fields }) => fields.length)
  const of = (...modules: string[]) => groups.filter(({ module }) => modules.includes(module!))
  own.fields.push(...of(LANGUAGE).flatMap(({ fields }) => fields))
  return [...of(FIRM), own, ...groups.filter((group) => !of(FIRM, LANGUAGE).includes(group))]
}

/** Returns the platform's settings in groups (SET-05), without read-only ones. */
export const platformSettingGroups = (): SettingGroup[] =>
  settingGroups.map((group) => {
    const settings = new Map(
      Object.entries<PlatformSetting>(platformSettings).filter(([, setting]) => setting.group === group && !setting.readOnly),
    )
    const fields = asked(Object.fromEntries([...settings].map(([key, { schema }]) => [key, schema])))
    return { module: null, title: humanised(group), fields: fields.map((field) => ofPlatform(field, settings.get(field.name)!)) }
  })

function ofPlatform(field: Field, setting: PlatformSetting): Field {
  if (setting.secret) return { ...named(field, setting), kind: 'secret' }
  // An enum that is never null has no empty option.
  return field.kind === 'enum' && !field.is_nullable ? { ...named(field, setting), is_required: true } : named(field, setting)
}

const named = (field: Field, { title, hint, default: usual }: Setting | PlatformSetting): Field => ({
  ...field,
  ...(hint ? { hint } : {}),
  ...{ label: title, default: usual },
})

/** None is required: omitted settings stay unchanged. */
const asked = (shape: z.core.$ZodShape) =>
  formFields(z.object(shape), undefined, () => null).map(({ is_required: _, ...field }): Field => field)
