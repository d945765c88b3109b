/** Form of grouped settings that sends only changed ones. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { call } from '../api.ts'
import { useAsking } from '../parts/asking-form.tsx'
import { tell } from '../parts/toasts.tsx'
import { changed } from '../screens/data.ts'
import { initialOf, keepUnsent, sentOf, type Values } from '../screens/form-values.ts'
import { FormFields } from '../screens/inputs.tsx'
import { type Field, may } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

export interface SettingGroup {
  title: string
  fields: Field[]
}

/** Converts the API's error paths (`settings.currency`) to field names. */
const own = (fields: Record<string, readonly string[]>) =>
  Object.fromEntries(Object.entries(fields).map(([name, said]) => [name.replace(/^settings\./, ''), said]))

/** Form of `settings`, saved by a PUT to the path. Secrets are never in replies; an untouched one stays unchanged. */
export function SettingsForm({
  path,
  allow,
  groups,
  settings,
  open,
  isAsked = () => true,
}: {
  path: string
  /** Permissions of which one is needed to change them. */
  allow: string[]
  groups: SettingGroup[]
  settings: Values
  /** Number of groups that are open at first. */
  open: number
  /** Returns whether a setting is relevant with the other values. */
  isAsked?: (field: Field, values: Values) => boolean
}) {
  const fields = groups.flatMap((group) => group.fields)
  const values = useSignal<Values>(initialOf(fields, settings))
  const touched = useRef(new Set<string>())
  const { failure, waits, ask } = useAsking()
  const save = ask(async () => {
    const secrets = fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name)
    const typed = values.value
    for (const name of secrets) if (!typed[name]) touched.current.delete(name)
    // An emptied text is sent as an empty text.
    const emptied = [...touched.current].map((name) => [name, typed[name] ?? ''])
    const body = { settings: { ...Object.fromEntries(emptied), ...sentOf(fields, typed, touched.current) } }
    await call('put', path, { body })
    keepUnsent(touched.current, typed, values.value)
    // Clears typed secrets after saving.
    const done = secrets.filter((name) => !touched.current.has(name)).map((name) => [name, ''])
    values.value = { ...values.value, ...Object.fromEntries(done) }
    tell(t('settingsSaved'))
    changed()
  })
  const errors = own(failure.value.fields)
  const failed = Object.keys(errors).length ? t('checkFields') : failure.value.message
  return (
    <form class="form" onSubmit={save} noValidate>
      <div role="alert">{failed && <p class="notice bad">{failed}</p>}</div>
      <FormFields
        fields={fields.filter((field) => isAsked(field, values.value))}
        groups={groups.map(({ title, fields: some }, n) => ({
          title,
          fields: some.map(({ name }) => name),
          ...(n < open ? {} : { is_folded: true as const }),
        }))}
        values={values}
        errors={errors}
        touch={(name) => touched.current.add(name)}
      />
      {may(allow) && (
        <div class="foot-bar">
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t('save')}
          </button>
        </div>
      )}
    </form>
  )
}
