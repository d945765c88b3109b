/** Form for the texts in documents, by language: each text has a field, labelled with the text in the reader's own language. */
import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { at } from '#console/client/addresses.ts'
import { call } from '#console/client/api.ts'
import { Answered } from '#console/client/parts/answered.tsx'
import { useAsking } from '#console/client/parts/asking-form.tsx'
import { Field as Labelled } from '#console/client/parts/field.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { keepUnsent, sentOf, type Values } from '#console/client/screens/form-values.ts'
import { FormFields } from '#console/client/screens/inputs.tsx'
import { refine } from '#console/client/screens/list-query.ts'
import { type Field, may, type Screen } from '#console/client/screens/shape.ts'
import { languageOf } from '#console/client/screens/values.tsx'
import { t as common, language as readers } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

interface Spoken {
  language: string
  direction: 'ltr' | 'rtl'
  texts: Record<string, string>
  own: string[]
}
/** Edited texts of a language, and the keys that are still to be saved. */
interface Draft {
  values: Signal<Values>
  touched: Set<string>
}

/** Keys of related texts begin with the same word. */
const GROUPS = ['kind', 'state', 'method', 'reminder', 'statement'] as const
const groupOf = (key: string) => GROUPS.find((group) => key.startsWith(`${group}_`)) ?? 'others'
const MAX_LENGTH = 500
/** Texts longer than this many characters get a field of several lines. */
const LONG = 40

export default function OwnWords({ screen }: { screen: Screen }) {
  const drafts = useRef(new Map<string, Draft>()).current
  const languages = useAnswer(screen.path)
  const asked = at.value.searchParams.get('language')
  return (
    <ScreenFrame title={screen.title}>
      <p class="quiet">{t('says')}</p>
      <Answered of={languages}>
        {({ data }: { data: Spoken[] }) => {
          const inReaders = data.find(({ language }) => language === readers)!
          const shown = data.find(({ language }) => language === asked) ?? inReaders
          const draft = drafts.getOrInsertComputed(shown.language, () => ({ values: signal(shown.texts), touched: new Set() }))
          const tags = data.map(({ language }) => language)
          return (
            <LanguageForm
              key={shown.language}
              {...{ screen, shown, tags, draft }}
              calls={inReaders.texts}
              mayChange={may(screen.edit?.allow ?? [])}
            />
          )
        }}
      </Answered>
    </ScreenFrame>
  )
}

interface FormProps {
  screen: Screen
  shown: Spoken
  tags: string[]
  draft: Draft
  /** Label of each text. */
  calls: Record<string, string>
  mayChange: boolean
}

function LanguageForm({ screen, shown, tags, draft: { values, touched }, calls, mayChange }: FormProps) {
  const term = useSignal('')
  const { failure, waits, ask } = useAsking()
  const wanted = term.value.trim().toLowerCase()
  const { message, fields: errors } = failure.value
  const fields = Object.entries(shown.texts).map(
    ([name, text]): Field => ({
      ...{ name, label: calls[name] ?? name, kind: text.length > LONG ? 'long_text' : 'text' },
      ...{ max_length: MAX_LENGTH, is_nullable: true },
      ...(shown.own.includes(name) ? { hint: t('own') } : {}),
    }),
  )
  const isFound = ({ name, label }: Field) =>
    errors[name] !== undefined ||
    [label, values.value[name]].some((one) =>
      String(one ?? '')
        .toLowerCase()
        .includes(wanted),
    )
  const save = ask(async () => {
    const typed = values.value
    const answer = await call('put', `${screen.path}/${shown.language}`, { body: sentOf(fields, typed, touched) })
    keepUnsent(touched, typed, values.value)
    const since = [...touched].map((name) => [name, values.value[name]])
    values.value = { ...answer.data.texts, ...Object.fromEntries(since) }
    tell(answer.message ?? common('saved'))
    changed()
  })
  const failed = Object.keys(errors).length ? common('checkFields') : message
  return (
    <>
      <div class="document-texts-asked">
        <Labelled label={t('language')}>
          {(tied) => (
            <select
              {...tied}
              name="language"
              value={shown.language}
              onChange={({ currentTarget }) => refine({ language: currentTarget.value }, { replace: true })}
            >
              {tags.map((tag) => (
                <option key={tag} value={tag}>
                  {languageOf(tag)}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label={t('find')}>
          {(tied) => (
            <input
              {...tied}
              type="search"
              value={term.value}
              onInput={({ currentTarget }) => (term.value = currentTarget.value)}
            />
          )}
        </Labelled>
      </div>
      <form class="form document-texts" data-direction={shown.direction} onSubmit={save} noValidate>
        <div role="alert">{failed && <p class="notice bad">{failed}</p>}</div>
        <fieldset disabled={!mayChange}>
          <FormFields
            fields={fields.filter(isFound)}
            groups={[...GROUPS, 'others' as const].map((group) => ({
              title: t(group),
              fields: fields.filter(({ name }) => groupOf(name) === group).map(({ name }) => name),
            }))}
            values={values}
            errors={errors}
            touch={(name) => touched.add(name)}
          />
        </fieldset>
        {mayChange && (
          <div class="foot-bar">
            <button type="submit" class="primary" aria-disabled={waits.value}>
              {common('save')}
            </button>
          </div>
        )}
      </form>
    </>
  )
}
