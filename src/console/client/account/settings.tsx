/** The settings of the workspace: the firm's address and logo first, then how it works and what else is installed. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ApiError, call } from '../api.ts'
import { useAsking } from '../parts/asking-form.tsx'
import { Field as Labelled } from '../parts/field.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { changed, useAnswer } from '../screens/data.ts'
import { FormFields, initialOf, sentOf, type Values } from '../screens/inputs.tsx'
import { type Field, may } from '../screens/shape.ts'
import { translated } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'

interface Group {
  title: string
  fields: Field[]
}
/** How many groups stand open: the firm's own, and the workspace's. */
const OPEN = 2

export default function Settings() {
  const told = useAnswer('/console/settings')
  const now = useAnswer('/settings')
  const error = told.error ?? now.error
  return (
    <ScreenFrame title={t('settings')}>
      {told.answer && now.answer ? (
        <>
          <Logo />
          <Form groups={translated(told.answer.data as Group[])} settings={now.answer.data.settings} />
        </>
      ) : error ? (
        <Trouble error={error} />
      ) : (
        <p class="quiet">{t('loading')}</p>
      )}
    </ScreenFrame>
  )
}

function Logo() {
  const { answer } = useAnswer('/settings/logo')
  const errors = useSignal<string[] | undefined>(undefined)
  const send = async (file: File | undefined) => {
    try {
      errors.value = undefined
      const { message } = file ? await call('put', '/settings/logo', { body: { file } }) : await call('delete', '/settings/logo')
      tell(message ?? t('done'))
      changed()
    } catch (error) {
      errors.value = error instanceof ApiError ? [error.fields.file?.[0] ?? error.message] : [String(error)]
    }
  }
  const url: string | null = answer?.data.logo_url ?? null
  return (
    <section class="form logo">
      <h2>{t('logo')}</h2>
      {url ? <img src={url} alt={t('logo')} /> : <p class="quiet">{t('noLogo')}</p>}
      {may(['settings.update']) && (
        <>
          <Labelled label={t('chooseLogo')} hint={t('logoSays')} errors={errors.value}>
            {(tied) => (
              <input {...tied} type="file" accept=".png,.svg" onChange={(event) => void send(event.currentTarget.files?.[0])} />
            )}
          </Labelled>
          {url && (
            <div>
              <button type="button" onClick={() => void send(undefined)}>
                {t('removeLogo')}
              </button>
            </div>
          )}
        </>
      )}
    </section>
  )
}

/** An error of the API as the form names the field: it says `settings.currency`. */
const own = (fields: Record<string, readonly string[]>) =>
  Object.fromEntries(Object.entries(fields).map(([name, said]) => [name.replace(/^settings\./, ''), said]))

function Form({ groups, settings }: { groups: Group[]; settings: Values }) {
  const fields = groups.flatMap((group) => group.fields)
  const values = useSignal<Values>(initialOf(fields, settings))
  const touched = useRef(new Set<string>())
  const { failure, waits, ask } = useAsking()
  const save = ask(async () => {
    // A text that was emptied is sent as such.
    const emptied = [...touched.current].map((name) => [name, values.value[name] ?? ''])
    const body = { settings: { ...Object.fromEntries(emptied), ...sentOf(fields, values.value, touched.current) } }
    await call('put', '/settings', { body })
    touched.current.clear()
    tell(t('settingsSaved'))
    changed()
  })
  const errors = own(failure.value.fields)
  const failed = Object.keys(errors).length ? t('checkFields') : failure.value.message
  return (
    <form class="form" onSubmit={save} noValidate>
      <div role="alert">{failed && <p class="notice bad">{failed}</p>}</div>
      <FormFields
        fields={fields}
        groups={groups.map(({ title, fields: some }, n) => ({
          title,
          fields: some.map(({ name }) => name),
          ...(n < OPEN ? {} : { is_folded: true as const }),
        }))}
        values={values}
        errors={errors}
        touch={(name) => touched.current.add(name)}
      />
      {may(['settings.update']) && (
        <div class="foot-bar">
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t('save')}
          </button>
        </div>
      )}
    </form>
  )
}
