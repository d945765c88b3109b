/**
 * Form for creating and changing a record. Input survives a reload and a session; another user's concurrent change is merged
 * field by field.
 */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { at, go } from '../addresses.ts'
import { ApiError, call } from '../api.ts'
import { boot } from '../boot.ts'
import { Dialog } from '../parts/dialog.tsx'
import { showOnce } from '../parts/once.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { SENDING_KEYS } from '../parts/sent-by-keys.ts'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { t } from '../texts/texts.ts'
import { changed, useFresh } from './data.ts'
import { say } from './editor-texts.ts'
import { initialOf, type Reckoned, saidLines, sentOf, type Values } from './form-values.ts'
import { FormFields } from './inputs.tsx'
import { Preview } from './preview.tsx'
import { unsettled } from './reference-input.tsx'
import {
  type Field,
  type Form,
  filled,
  listAddress,
  may,
  methodOf,
  type Row,
  recordAddress,
  type Screen,
  summaryOf,
  titleOf,
} from './shape.ts'
import { textFor } from './values.tsx'

/** State that the user edits: the record's values and its ETag. */
interface Base {
  values: Values
  etag: string | undefined
}
/** Edited fields, and the state that they are based on. */
interface Draft {
  values: Values
  base: Base
}
/** Stored in the tab, by user, without passwords and files. */
const draftKey = () => `atrium.typed.${boot.me?.user.id ?? ''}.${at.value.pathname}`
function keptDraft(): Draft | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(draftKey()) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
function keepDraft(fields: Field[], values: Values, touched: Set<string>, base: Base) {
  const key = draftKey()
  toKeep = () => {
    const kept = fields.filter(({ name, kind }) => touched.has(name) && kind !== 'secret' && kind !== 'file')
    const of = (all: Values) => Object.fromEntries(kept.map(({ name }) => [name, all[name] ?? null]))
    const draft: Draft = { values: of(values), base: { ...base, values: of(base.values) } }
    if (kept.length) sessionStorage.setItem(key, JSON.stringify(draft))
  }
  clearTimeout(keeping)
  keeping = setTimeout(keepNow, KEEP_MS)
}
/** A draft is stored when the user pauses or leaves: with many lines it takes longer than a keystroke may. */
const KEEP_MS = 300
let toKeep: (() => void) | undefined
let keeping: ReturnType<typeof setTimeout> | undefined
function keepNow() {
  toKeep?.()
  toKeep = undefined
}
function dropDraft() {
  toKeep = undefined
  sessionStorage.removeItem(draftKey())
}
addEventListener('pagehide', keepNow)

/** Returns initial values from the address: `company_id=7`, `allocations.invoice_id=7`. */
function askedOf(fields: Field[]): Values {
  return Object.fromEntries(
    [...at.value.searchParams].flatMap(([path, text]): [string, unknown][] => {
      const [name, inner] = path.split('.') as [string, string?]
      const field = fields.find((one) => one.name === name)
      const asked = inner ? field?.fields?.find((one) => one.name === inner) : field
      if (!asked || !field) return []
      const value = asked.kind.startsWith('reference') && /^\d+$/.test(text) ? Number(text) : text
      if (inner) return field.kind === 'lines' ? [[name, [{ [inner]: value }]]] : []
      return [[name, field.kind === 'references' ? [value] : value]]
    }),
  )
}

/** Adds initial values from the record that a new one is for: a payment starts with its invoice's balance. */
function withDefaultsOf({ begins }: Screen, values: Values, other: Row): Values {
  const next = { ...values }
  for (const [path, from] of Object.entries(begins?.fields ?? {})) {
    const [name, inner] = path.split('.') as [string, string?]
    if (!inner) next[name] ??= other[from]
    else if (Array.isArray(next[name])) next[name] = (next[name] as Values[]).map((line) => ({ [inner]: other[from], ...line }))
  }
  return next
}

/** Form of a new record, with initial values from another record in the address, if any. */
export function NewScreen({ screen }: { screen: Screen }) {
  const form = screen.create!
  const [name, inner] = screen.begins?.from.split('.') ?? []
  const outer = form.fields.find((field) => field.name === name)
  const named = summaryOf((inner ? outer?.fields?.find((field) => field.name === inner) : outer)?.refers_to?.screen)
  const key = (screen.begins && at.value.searchParams.get(screen.begins.from)) ?? ''
  const path = named && /^\d+$/.test(key) ? `${named.path}/${key}` : undefined
  const { answer, error, again } = useFresh(path)
  const isUnseen = error instanceof ApiError && [403, 404].includes(error.status)
  // Initialised once: a refetch doesn't overwrite input.
  const begun = useRef<{ path: string | undefined; other: Row | undefined } | undefined>(undefined)
  if (begun.current?.path !== path) begun.current = undefined
  if (!path || answer || isUnseen) begun.current ??= { path, other: answer?.data }
  if (!begun.current)
    return (
      <ScreenFrame title={t('newOne', { noun: screen.noun })}>
        {error ? <Trouble error={error} again={again} /> : <p class="quiet">{t('loading')}</p>}
      </ScreenFrame>
    )
  return <EditForm screen={screen} form={form} other={begun.current.other} />
}

/** Form that changes a record, shown once its current state has loaded. */
export function EditScreen({ screen, id }: { screen: Screen; id: string }) {
  const { answer, error, again } = useFresh(screen.record ? filled(screen.record.path, id) : undefined)
  if (answer) return <EditForm screen={screen} form={screen.edit!} id={id} row={answer.data} etag={answer.etag} />
  return (
    <ScreenFrame title={screen.title}>
      {error ? <Trouble error={error} again={again} /> : <p class="quiet">{t('loading')}</p>}
    </ScreenFrame>
  )
}

interface Conflict {
  theirs: Row
  /** Base of the edit after the user has chosen. */
  base: Base
  /** Fields that both users changed. */
  fields: Field[]
}

interface Props {
  screen: Screen
  form: Form
  id?: string
  row?: Row
  etag?: string | undefined
  /** The record that a new one is for. */
  other?: Row | undefined
}

const PAUSE_MS = 400
/** Kinds of fields that no total depends on. */
const WORDS = new Set(['text', 'long_text', 'html', 'email', 'phone', 'url'])

/** Fills in placeholders for missing required texts, so that totals can be previewed without them. */
function named(fields: Field[], body: Row, isNew: boolean): Row {
  const texts = isNew ? fields.filter(({ is_required, kind }) => is_required && kind === 'text') : []
  const whole = { ...Object.fromEntries(texts.map(({ name }) => [name, '…'])), ...body }
  for (const { name, kind, fields: inside = [] } of fields) {
    if (kind !== 'lines' || !Array.isArray(whole[name])) continue
    const words = inside.filter((one) => one.is_required && WORDS.has(one.kind)).map((one) => [one.name, '…'])
    whole[name] = whole[name].map((line: Row) => ({ ...Object.fromEntries(words), ...line }))
  }
  return whole
}

interface TotalsProps extends Props {
  values: Signal<Values>
  touched: Set<string>
  /** Receives the total of each line. */
  reckoned: Signal<Reckoned>
}

/** Returns the server's lines by the form's lines. */
function reckonedOf({ fields }: Form, sent: Values, answer: Row): Reckoned {
  const pairs = fields
    .filter(({ kind }) => kind === 'lines')
    .flatMap(({ name, fields: inside = [] }) => {
      const lines = Array.isArray(sent[name]) ? saidLines(inside, sent[name] as Values[]) : []
      const shown = Array.isArray(answer[name]) ? (answer[name] as Row[]) : []
      return lines.length === shown.length
        ? lines.map((line, n): [Values, Row] => [line, { currency: answer.currency, ...shown[n] }])
        : []
    })
  return new WeakMap(pairs)
}

/** Totals of a record with lines, from the server's preview of the form, which stores nothing. */
function Totals({ screen, form, id, row, values, touched, reckoned }: TotalsProps) {
  const shown = useSignal(row)
  const typed = new Set(form.fields.map(({ name }) => name))
  const fields = (screen.record?.fields ?? []).filter(({ kind, name }) => kind === 'money' && !typed.has(name))
  const end = fields.findIndex(({ name }) => name === 'total')
  const sums = end < 0 ? fields : fields.slice(0, end + 1)
  const asked = useRef('')
  const asking = useRef<AbortController | undefined>(undefined)
  const now = values.value
  useEffect(() => {
    if (!sums.length || !touched.size) return
    const timer = setTimeout(() => {
      const counted = form.fields.filter(({ kind }) => !WORDS.has(kind))
      const said = JSON.stringify(sentOf(counted, now))
      if (said === asked.current) return
      asked.current = said
      asking.current?.abort()
      asking.current = new AbortController()
      const body = named(form.fields, sentOf(form.fields, now, id ? touched : undefined), !id)
      call(methodOf(form), id ? filled(form.path, id) : form.path, {
        body,
        headers: { 'Dry-Run': 'true' },
        signal: asking.current.signal,
      }).then(
        ({ data }) => {
          shown.value = data
          reckoned.value = reckonedOf(form, now, data)
        },
        () => {}, // errors are shown when the form is sent
      )
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [now])
  if (!sums.length || !shown.value) return null
  return (
    <dl class="totals" aria-live="polite">
      {sums.map((field) => (
        <div key={field.name}>
          <dt>{field.label}</dt>
          <dd>{textFor(field, shown.value![field.name], shown.value!)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Returns whether there is room for a page next to a form. */
function useWide() {
  const query = useRef(matchMedia('(min-width: 1100px)'))
  const isWide = useSignal(query.current.matches)
  useEffect(() => {
    const look = () => (isWide.value = query.current.matches)
    query.current.addEventListener('change', look)
    return () => query.current.removeEventListener('change', look)
  }, [])
  return isWide.value
}

/**
 * Returns the initial state of a form: a draft over the record's current values, with the base that the draft was compared with.
 */
function beginningOf({ screen, form, row, etag, other }: Props) {
  const draft = keptDraft()
  const held = initialOf(form.fields, row)
  const said = { ...held, ...draft?.values, ...(row ? {} : askedOf(form.fields)) }
  return {
    values: other ? withDefaultsOf(screen, said, other) : said,
    touched: new Set(Object.keys(draft?.values ?? {})),
    base: draft ? { ...draft.base, values: { ...held, ...draft.base.values } } : { values: held, etag },
    isRestored: draft !== undefined,
  }
}

function EditForm(props: Props) {
  const { screen, form, id, row } = props
  const first = useRef<ReturnType<typeof beginningOf> | undefined>(undefined)
  first.current ??= beginningOf(props)
  const { touched, isRestored } = first.current
  const base = useRef<Base>(first.current.base)
  const values = useSignal<Values>(first.current.values)
  const isSummed = screen.record?.fields.some(
    ({ kind, fields = [] }) => kind === 'lines' && fields.some(({ name }) => name === 'line_total'),
  )
  const reckoned = useSignal<Reckoned>(row ? reckonedOf(form, first.current.values, row) : new WeakMap())
  const errors = useSignal<Record<string, readonly string[]>>({})
  const failed = useSignal('')
  const waits = useSignal(false)
  const conflict = useSignal<Conflict | undefined>(undefined)
  const box = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isRestored) tell(t('unsaved'))
  }, [])

  const save = async (ifMatch: string | undefined) => {
    const only = row ? touched : undefined
    const body = sentOf(form.fields, values.value, only)
    const { data } = await call(methodOf(form), id ? filled(form.path, id) : form.path, {
      body,
      ...(ifMatch ? { ifMatch } : {}),
    })
    dropDraft()
    changed()
    tell(t('saved'))
    showOnce(data, [...(screen.record?.fields ?? []), ...screen.list.columns])
    const key = data?.[screen.key_field] ?? id
    go(screen.record && key !== undefined ? recordAddress(screen, key) : listAddress(screen), { replace: true })
  }
  const send = async () => {
    if (waits.value) return
    waits.value = true
    errors.value = {}
    failed.value = ''
    try {
      const open = await unsettled()
      if (open) return void (failed.value = open)
      const { etag } = base.current
      // A record without an ETag can only be compared here.
      if (id && !etag) await merge()
      else
        await save(etag).catch((error) => {
          if (!(id && error instanceof ApiError && error.status === 412)) throw error
          return merge()
        })
    } catch (error) {
      const known = error instanceof ApiError ? error : undefined
      errors.value = known?.fields ?? {}
      failed.value = known && Object.keys(known.fields).length ? loose(known.fields) : (error as Error).message
      setTimeout(() => box.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    } finally {
      waits.value = false
    }
  }
  /** Errors of fields that the form doesn't show. */
  const loose = (all: Record<string, readonly string[]>) => {
    const names = new Set(form.fields.map(({ name }) => name))
    const others = Object.entries(all).filter(([name]) => !names.has(name.split('.')[0]!))
    return [t('checkFields'), ...others.flatMap(([, said]) => said)].join(' ')
  }
  /**
   * Merges another user's concurrent change: fields changed only by them are taken over, conflicting ones are shown in a dialog.
   * Until it is closed, input stays on its old base.
   */
  const merge = async () => {
    const { data: theirs, etag } = await call('get', filled(screen.record!.path, id))
    const now = initialOf(form.fields, theirs)
    const { values: before, etag: seen } = base.current
    const said = (value: unknown) => JSON.stringify(value ?? null)
    const both = form.fields.filter(({ name }) => touched.has(name) && said(before[name]) !== said(now[name]))
    const taken = Object.fromEntries(form.fields.flatMap(({ name }) => (touched.has(name) ? [] : [[name, now[name]]])))
    values.value = { ...values.value, ...taken }
    base.current = { values: { ...before, ...taken }, etag: seen }
    if (both.length) conflict.value = { theirs, base: { values: now, etag }, fields: both }
    else await save(etag)
  }
  const title = row ? t('editOne', { name: titleOf(screen, row) }) : t('newOne', { noun: screen.noun })
  const back = id ? recordAddress(screen, id) : listAddress(screen)
  const hasPages = form.preview !== undefined && may(screen.allow)
  const isBeside = useWide() && hasPages
  const isOpened = useSignal(false)
  const preview = () => (
    <Preview
      path={id ? filled(form.preview!, id) : form.preview!}
      fields={form.fields}
      values={values}
      bodyOf={() => named(form.fields, sentOf(form.fields, values.value, id ? touched : undefined), !id)}
    />
  )
  return (
    <ScreenFrame title={title} back={{ label: row ? titleOf(screen, row) : screen.title, to: back }}>
      <div class={isBeside ? 'form-beside' : undefined}>
        <form
          ref={box}
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
          <FormFields
            fields={form.fields}
            groups={screen.groups}
            values={values}
            errors={errors.value}
            row={row}
            {...(isSummed ? { reckoned } : {})}
            below={
              form.fields.some(({ kind }) => kind === 'lines') &&
              !form.is_multipart && (
                <Totals
                  {...{ screen, form, values, reckoned, ...(id ? { id } : {}), ...(row ? { row } : {}) }}
                  touched={touched}
                />
              )
            }
            touch={(name) => {
              touched.add(name)
              keepDraft(form.fields, values.value, touched, base.current)
            }}
          />
          <div class="foot-bar">
            <button type="submit" class="primary" aria-disabled={waits.value} aria-keyshortcuts={SENDING_KEYS}>
              {row ? t('save') : t('createButton')}
            </button>
            <a class="button" href={back} onClick={dropDraft}>
              {t('cancel')}
            </a>
            {hasPages && !isBeside && (
              <button type="button" onClick={() => (isOpened.value = true)}>
                {say('preview')}
              </button>
            )}
          </div>
        </form>
        {isBeside && preview()}
      </div>
      {isOpened.value && !isBeside && (
        <Dialog title={say('preview')} close={() => (isOpened.value = false)} kind="preview-dialog">
          {preview()}
          <div class="dialog-foot">
            <button type="button" onClick={() => (isOpened.value = false)}>
              {t('close')}
            </button>
          </div>
        </Dialog>
      )}
      {conflict.value && (
        <MergeDialog
          conflict={conflict.value}
          values={values.value}
          done={(chosen) => {
            const seen = conflict.value!.base
            conflict.value = undefined
            if (!chosen) return
            base.current = seen
            values.value = { ...values.value, ...chosen }
            keepDraft(form.fields, values.value, touched, seen)
            void send()
          }}
        />
      )}
    </ScreenFrame>
  )
}

/** Dialog that chooses, field by field, between the user's and the other user's value. */
function MergeDialog({ conflict, values, done }: { conflict: Conflict; values: Values; done: (chosen?: Values) => void }) {
  const theirs = useSignal(new Set<string>())
  const now = conflict.base.values
  const show = (field: Field, from: Values) => textFor(field, from[field.name], { ...conflict.theirs, ...from }) || t('none')
  const choose = (name: string, other: boolean) => {
    const next = new Set(theirs.value)
    other ? next.add(name) : next.delete(name)
    theirs.value = next
  }
  return (
    <Dialog title={t('mergeTitle')} close={() => done()}>
      <div class="dialog-body">
        <p class="quiet">{t('mergeSays')}</p>
        {conflict.fields.map((field) => (
          <fieldset key={field.name} class="choice">
            <legend>{field.label}</legend>
            {([false, true] as const).map((other) => (
              <label key={String(other)} class="check">
                <input
                  type="radio"
                  name={`merge-${field.name}`}
                  checked={theirs.value.has(field.name) === other}
                  onChange={() => choose(field.name, other)}
                />
                <span>
                  {t(other ? 'theirs' : 'mine')}: {show(field, other ? now : values)}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
        <div class="dialog-foot">
          <button type="button" onClick={() => done()}>
            {t('cancel')}
          </button>
          <button
            type="button"
            class="primary"
            onClick={() =>
              done(
                Object.fromEntries(conflict.fields.map(({ name }) => [name, theirs.value.has(name) ? now[name] : values[name]])),
              )
            }
          >
            {t('mergeSave')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
