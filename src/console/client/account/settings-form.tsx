/** Settings in their groups, of which what was changed is sent. */
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

/** An error of the API as the form names the field: it says `settings.currency`. */
const own = (fields: Record<string, readonly string[]>) =>
  Object.fromEntries(Object.entries(fields).map(([name, said]) => [name.replace(/^settings\./, ''), said]))

/** A form of `settings`, which are changed by a PUT at the path. Secrets, which are never told, stay where nothing is typed. */
export function SettingsForm({
  path,
  allow,
  groups,
  settings,
  open,
  isAsked = () => true,
}: {
  path: string
  /** Who may change them. */
  allow: string[]
  groups: SettingGroup[]
  settings: Values
  /** How many groups stand open. */
  open: number
  /** Whether a setting matters beside what the others say. */
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
    // A text that was emptied is sent as such.
    const emptied = [...touched.current].map((name) => [name, typed[name] ?? ''])
    const body = { settings: { ...Object.fromEntries(emptied), ...sentOf(fields, typed, touched.current) } }
    await call('put', path, { body })
    keepUnsent(touched.current, typed, values.value)
    // What was typed is kept nowhere.
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
