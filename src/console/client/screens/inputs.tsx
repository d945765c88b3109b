/** What asks for the value of each kind of field, and what is sent of it. */
import { type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, Fragment, type JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { go } from '../addresses.ts'
import { ApiError, call } from '../api.ts'
import { boot } from '../boot.ts'
import { Check, Field as Labelled, type Tied } from '../parts/field.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { lazyPart } from '../parts/lazy.tsx'
import { tell } from '../parts/toasts.tsx'
import { explained, named, permitted } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { useAnswer } from './data.ts'
import { say } from './editor-texts.ts'
import { cellsOf, isBlankLine, isUsual, linesOf, newLine, withChosen } from './lines.ts'
import { useNames } from './named.tsx'
import { type Field, type Group, inGroups, listAddress, type Row, screens, summaryOf, titleOf } from './shape.ts'
import { countryOf, embedded, isCountry, isLanguage, isNumeric, languageOf, locale, textFor } from './values.tsx'

export type Values = Record<string, unknown>
type Errors = Record<string, readonly string[]>
/** Lines as the server reckons them, by what was sent of each. */
export type Reckoned = WeakMap<Values, Row>

const WHOLE = new Set(['long_text', 'html', 'lines', 'object', 'json'])

/** What a form begins with: of a record that there is, else what counts where nothing is sent. */
export function initialOf(fields: Field[], row: Row | undefined): Values {
  return Object.fromEntries(fields.map((field) => [field.name, row ? fromRow(field, row) : startOf(field)]))
}

function startOf(field: Field): unknown {
  if (field.kind === 'lines') return [newLine(field.fields)]
  return isAsked(field) ? field.default : undefined
}

function fromRow(field: Field, row: Row): unknown {
  const value = row[field.name]
  if (field.kind === 'lines' && Array.isArray(value)) return value.map((line) => initialOf(field.fields ?? [], line))
  if (field.kind === 'references' && !value) {
    const found = row[field.name.replace(/_ids$/, 's')]
    return Array.isArray(found) ? found.map(({ id }: Row) => id) : undefined
  }
  return value
}

/** Whether what it is made of is asked for one by one. */
const isGroup = ({ kind, fields }: Field) => kind === 'object' && !!fields?.length

const isEmpty = (value: unknown) => value === undefined || value === '' || value === null

/** Of a line: where it stands, which is where it is on the screen. */
const ORDER = 'sort_order'

/** The lines of a form of which something is sent. */
export const saidLines = (fields: Field[], lines: Values[]) =>
  lines.filter((line) => !isBlankLine(line, fields) && Object.keys(sentOf(fields, line)).some((name) => name !== ORDER))

/** What is sent of a field: numbers as numbers, nothing as null where that may be. */
function sent(field: Field, value: unknown): unknown {
  if (field.kind === 'lines' && Array.isArray(value)) {
    const [fields, isOrdered] = [
      (field.fields ?? []).filter(({ name }) => name !== ORDER),
      field.fields?.some(({ name }) => name === ORDER),
    ]
    const lines = saidLines(fields, value).map((line) => sentOf(fields, line))
    return isOrdered ? lines.map((line, n) => ({ ...line, [ORDER]: n })) : lines
  }
  if (isGroup(field) && value && typeof value === 'object') {
    const said = sentOf(field.fields ?? [], value as Values)
    return Object.keys(said).length ? said : field.is_nullable ? null : undefined
  }
  if (isEmpty(value)) return field.is_nullable ? null : undefined
  if (isNumeric(field)) {
    const text = String(value).trim().replace(',', '.')
    return /^-?\d*\.?\d+$/.test(text) && text.length <= 15 ? Number(text) : value
  }
  if (field.kind === 'instant') return /Z|[+-]\d\d:\d\d$/.test(String(value)) ? value : new Date(String(value)).toISOString()
  if (field.kind === 'json' && typeof value === 'string') {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  return value
}

/** The body of a form: what was typed, and with `only` what of it was touched. */
export function sentOf(fields: Field[], values: Values, only?: Set<string>): Record<string, unknown> {
  const pairs = fields
    .filter(({ name }) => !only || only.has(name))
    .map((field) => [field.name, sent(field, values[field.name])] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && (only || value !== null)))
}

/** Of a form that was sent: what was typed since is still to be sent. */
export function keepUnsent(touched: Set<string>, sent: Values, now: Values) {
  for (const name of touched) if (now[name] === sent[name]) touched.delete(name)
}

interface FieldsProps {
  fields: Field[]
  values: Signal<Values>
  errors: Errors
  /** The record as it is shown: what its references embed. */
  row?: Row | undefined
  touch?: (name: string) => void
  /** Stands below the lines. */
  below?: ComponentChildren
  /** How fields stand together. */
  groups?: Group[]
  reckoned?: Signal<Reckoned>
}

/** What must be said and is short comes first, what takes the whole width last. */
const rank = ({ kind, is_required, name }: Field) =>
  name === 'external_id' ? 5 : kind === 'lines' ? 3 : WHOLE.has(kind) ? 4 : kind === 'boolean' ? 2 : is_required ? 0 : 1

/** What names or makes records of a list that isn't there, or isn't open to whoever looks, is asked for only where it must be said. */
const isAsked = ({ refers_to, makes, is_required }: Field) =>
  is_required || [refers_to, makes].every((target) => !target?.screen || summaryOf(target.screen) !== undefined)

const LINES = { name: '', label: '', kind: 'lines' }
/** The fields of a form, each with its errors. */
export function FormFields({ fields, values, errors, row, touch, below, groups = [], reckoned }: FieldsProps) {
  const asked = fields.filter(isAsked).toSorted((a, b) => rank(a) - rank(b))
  const input = (field: Field) => (
    <Input
      key={field.name}
      field={field}
      value={values.value[field.name]}
      errors={errors}
      at={field.name}
      row={row}
      reckoned={reckoned}
      set={(value) => {
        values.value = { ...values.value, [field.name]: value }
        touch?.(field.name)
      }}
    />
  )
  const upToLines = (field: Field) => rank(field) <= rank(LINES)
  const { together, others, folded } = inGroups(asked, groups)
  const isSaid = ({ name, default: usual }: Field) =>
    (!isEmpty(values.value[name]) && values.value[name] !== false && String(values.value[name]) !== String(usual)) ||
    Object.keys(errors).some((at) => at.split('.')[0] === name)
  return (
    <>
      {together.map(({ title, fields }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          <div class="fields">{fields.map(input)}</div>
        </fieldset>
      ))}
      {others.length > 0 && (
        <div class="fields">
          {others.filter(upToLines).map(input)}
          {below}
          {others.filter((field) => !upToLines(field)).map(input)}
        </div>
      )}
      {folded.map(({ title, fields }) => (
        <details key={title} open={fields.some(isSaid)}>
          <summary>{title}</summary>
          <fieldset aria-label={title}>
            <div class="fields">{fields.map(input)}</div>
          </fieldset>
        </details>
      ))}
    </>
  )
}

interface InputProps {
  field: Field
  value: unknown
  errors: Errors
  /** Where the API names it in errors: `lines.0.quantity`. */
  at: string
  row?: Row | undefined
  reckoned?: Signal<Reckoned> | undefined
  /** `chosen` is the record that a reference names. */
  set: (value: unknown, chosen?: Row) => void
}

function Input(props: InputProps): ComponentChildren {
  const { field, value, errors, at, set } = props
  if (field.kind === 'lines') return <LinesInput {...props} />
  if (isGroup(field)) return <GroupInput {...props} />
  if (field.kind === 'boolean')
    return (
      <div class="field whole">
        {<Check label={field.label} checked={Boolean(value)} onChange={set} />}
        {errors[at] && <p class="error">{errors[at].join(' ')}</p>}
      </div>
    )
  const control = (tied: Tied) => <Control {...props} tied={tied} />
  return (
    <div
      class={WHOLE.has(field.kind) ? 'whole' : isNumeric(field) ? 'figure' : field.kind === 'text' ? 'words' : undefined}
    >
      <Labelled label={field.label} hint={hintOf(field)} errors={errors[at]} required={field.is_required}>
        {control}
      </Labelled>
    </div>
  )
}

/** What is said of a field to people: of ids, nulls and routes they know nothing. */
function hintOf({ hint, kind }: Field): string | undefined {
  if (!hint || /\bGET \//.test(hint) || (kind.startsWith('reference') && /^ids? of/i.test(hint))) return undefined
  return explained(hint) || undefined
}

/** What is chosen from. Countries and languages are called by their names, and stand in the order of these. */
function optionsOf(field: Field) {
  const options = field.options ?? []
  const name = isCountry(field) ? countryOf : isLanguage(field) ? languageOf : undefined
  return name
    ? options.map(({ value }) => ({ value, label: name(value) })).toSorted((a, b) => a.label.localeCompare(b.label, locale))
    : options
}

/** Codes that are typed: currencies, zones, languages. What the browser knows of them is offered. */
const isCode = ({ kind, name }: Field) => kind === 'currency' || kind === 'timezone' || name === 'locale'
const KnownCodes = lazyPart(async () => (await import('./known-codes.tsx')).KnownCodes, null)

/** An instant as the control of the browser has it: in the reader's zone. */
function local(value: unknown): string {
  const date = new Date(String(value))
  if (isEmpty(value) || Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A code of which all that there are have a name is chosen as a word is, beside one that is there and unknown. */
function asChoice(field: Field, value: string): Field {
  const { options } = field
  if (field.kind !== 'text' || !isCountry(field) || !options) return field
  const isKnown = value === '' || options.some((one) => one.value === value)
  return { ...field, kind: 'enum', options: isKnown ? options : [...options, { value, label: value }] }
}

function Control({ field: told, value, set, tied, row }: InputProps & { tied: Tied }) {
  const text = isEmpty(value) ? '' : typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
  const field = asChoice(told, text)
  const onInput = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value)
  const common = {
    ...tied,
    name: field.name,
    value: text,
    onInput,
    maxLength: isNumeric(field) ? undefined : field.max_length,
  }
  switch (field.kind) {
    case 'long_text':
    case 'html':
    case 'json':
    case 'object':
      return <textarea {...common} rows={field.kind === 'html' ? 6 : 4} />
    case 'enum':
      return (
        <select {...tied} name={field.name} value={text} onChange={onInput}>
          {(!field.is_required || text === '') && <option value="">{field.is_required ? t('choose') : ''}</option>}
          {optionsOf(field).map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </select>
      )
    case 'reference':
      return (
        <ReferenceInput
          field={field}
          tied={tied}
          value={value}
          found={row && value === row[field.name] ? embedded(field, row) : undefined}
          choose={(key, chosen) => set(key ?? null, chosen)}
        />
      )
    case 'references':
      return <ReferencesInput field={field} tied={tied} value={Array.isArray(value) ? value : []} row={row} set={set} />
    case 'list':
      return field.options || field.choices ? (
        <ChoicesInput field={field} tied={tied} value={Array.isArray(value) ? value : []} set={set} />
      ) : (
        <WordsInput field={field} tied={tied} value={value} set={set} />
      )
    case 'file':
      return (
        <input
          {...tied}
          type="file"
          name={field.name}
          accept={field.accepts?.map((one) => `.${one}`).join(',')}
          onChange={(event) => set(event.currentTarget.files?.[0])}
        />
      )
    case 'instant':
      return (
        <input
          {...tied}
          type="datetime-local"
          name={field.name}
          value={local(value)}
          onInput={(event) => set(event.currentTarget.value ? new Date(event.currentTarget.value).toISOString() : '')}
        />
      )
    default:
      return (
        <>
          <input
            {...common}
            list={isCode(field) ? `${tied.id}-known` : undefined}
            placeholder={field.kind === 'currency' ? boot.me?.workspace?.currency : undefined}
            type={(TYPES[field.kind] ?? 'text') as 'text'}
            inputMode={isNumeric(field) ? 'decimal' : undefined}
            onFocus={isNumeric(field) ? (event) => event.currentTarget.select() : undefined}
            autocomplete="off"
            class={isNumeric(field) ? 'numbers' : undefined}
          />
          {isCode(field) && <KnownCodes id={`${tied.id}-known`} kind={field.kind} />}
        </>
      )
  }
}

interface ListProps {
  field: Field
  tied: Tied
  set: (value: unknown) => void
}

/** Words of one's own, one on each line. */
const WordsInput = ({ field, tied, value, set }: ListProps & { value: unknown }) => (
  <textarea
    {...tied}
    name={field.name}
    rows={3}
    placeholder={t('perLine')}
    value={Array.isArray(value) ? value.join('\n') : isEmpty(value) ? '' : String(value)}
    onInput={(event) => set(event.currentTarget.value.split('\n').filter(Boolean))}
  />
)

/** More words than this can be looked for. */
const MANY_CHOICES = 12

/** Some of the words that there are, each to be ticked. Whoever may not see them types. */
function ChoicesInput({ field, tied, value, set }: ListProps & { value: unknown[] }) {
  const term = useSignal('')
  const { choices } = field
  const isPaged = screens.some(({ path }) => path === choices?.path)
  const { answer, error } = useAnswer(choices?.path, isPaged ? { per_page: '100' } : {})
  if (choices && error && !answer) return <WordsInput {...{ field, tied, value, set }} />
  const listed: Choice[] = choices
    ? ((answer?.data ?? []) as Row[]).map((row) => ({
        value: row[choices.field],
        label: String(row[choices.field]),
        about: choices.about && (typeof row.group === 'string' ? permitted(String(row[choices.about])) : row[choices.about]),
        group: typeof row.group === 'string' ? row.group : undefined,
      }))
    : optionsOf(field)
  const others = value.filter((one) => !listed.some((option) => option.value === one))
  const begun = useRef(value)
  const toggle = (one: unknown, on: boolean) => set(on ? [...value, one] : value.filter((other) => other !== one))
  const { id, 'aria-describedby': described } = tied
  // What is ticked to begin with is seen without scrolling: nobody gives a right that they didn't see. Groups stay together.
  const isBegun = (one: Choice) => Number(!one.group && begun.current.includes(one.value))
  const all = [...listed, ...others.map((one): Choice => ({ value: one, label: String(one) }))].toSorted(
    (a, b) => isBegun(b) - isBegun(a),
  )
  const wanted = term.value.trim().toLowerCase()
  const fits = ({ label, about, group }: Choice) =>
    [label, about, group].some((one) =>
      String(one ?? '')
        .toLowerCase()
        .includes(wanted),
    )
  const groups = [...Map.groupBy(all.filter(fits), ({ group }) => group)]
  return (
    <div id={id} role="group" aria-label={field.label} aria-describedby={described}>
      {all.length > MANY_CHOICES && (
        <input
          type="search"
          class="choices-search"
          aria-label={`${field.label}: ${t('search')}`}
          placeholder={t('search')}
          value={term.value}
          onInput={(event) => (term.value = event.currentTarget.value)}
        />
      )}
      <div class="choices">
        {groups.length === 0 && <p class="quiet">{t('nothingFound')}</p>}
        {groups.map(([group, some]) => (
          <Fragment key={group ?? ''}>
            {group && <p class="choices-group">{named(group)}</p>}
            {some.map((option) => (
              <label class="check" key={String(option.value)}>
                <input
                  type="checkbox"
                  checked={value.includes(option.value)}
                  onChange={(event) => toggle(option.value, event.currentTarget.checked)}
                />
                <span>
                  {option.label}
                  {option.about ? <small>{String(option.about)}</small> : null}
                </span>
              </label>
            ))}
          </Fragment>
        ))}
      </div>
    </div>
  )
}

interface Choice {
  value: unknown
  label: string
  about?: unknown
  group?: string | undefined
}

const TYPES: Record<string, 'date' | 'time' | 'email' | 'tel' | 'url' | 'color' | 'password'> = {
  date: 'date',
  time: 'time',
  email: 'email',
  phone: 'tel',
  url: 'url',
  colour: 'color',
  secret: 'password',
}

/** What belongs together and is rarely said stands folded away until somebody opens it, or something in it is said or wrong. */
function GroupInput({ field, value, errors, at, row, set }: InputProps) {
  const said = (value ?? {}) as Values
  const isSaid = Object.values(said).some((one) => !isEmpty(one))
  const isWrong = Object.keys(errors).some((name) => name === at || name.startsWith(`${at}.`))
  const embedded = row?.[field.name]
  return (
    <details class="whole" open={isSaid || isWrong || field.is_required}>
      <summary>{field.label}</summary>
      <fieldset aria-label={field.label}>
        {field.hint && <p class="hint">{hintOf(field)}</p>}
        {errors[at] && <p class="error">{errors[at].join(' ')}</p>}
        <div class="fields">
          {field.fields!.map((one) => (
            <Input
              key={one.name}
              field={one}
              value={said[one.name]}
              errors={errors}
              at={`${at}.${one.name}`}
              row={typeof embedded === 'object' && embedded ? embedded : undefined}
              set={(to) => set({ ...said, [one.name]: to })}
            />
          ))}
        </div>
      </fieldset>
    </details>
  )
}

function LinesInput({ field, value, errors, at, row, reckoned, set }: InputProps) {
  const lines = Array.isArray(value) ? (value as Values[]) : []
  const box = useRef<HTMLFieldSetElement>(null)
  const most = field.max_length ?? Infinity
  /** Which line it is, wherever it is moved and whatever is typed into it: what is still looked up for it comes to it, or to none. */
  const keys = useRef(new WeakMap<Values, number>())
  const nextKey = useRef(0)
  const keyOf = (line: Values) => {
    const key = keys.current.get(line) ?? nextKey.current++
    keys.current.set(line, key)
    return key
  }
  /** What a line came to stays beside it until it is reckoned anew. */
  const instead = (line: Values, next: Values) => {
    const sum = reckoned?.peek().get(line)
    if (sum) reckoned!.peek().set(next, sum)
    return next
  }
  const change = (key: number, one: Field, to: unknown, chosen: Row | undefined) => {
    const n = lines.findIndex((line) => keyOf(line) === key)
    if (n < 0) return
    const next = instead(lines[n]!, withChosen(lines[n]!, one, to, chosen))
    keys.current.set(next, key)
    set(lines.with(n, next))
  }
  const rowAt = (n: number) => box.current?.querySelectorAll('.rows > .row')[n]
  const controlsOf = (n: number) => [
    ...(rowAt(n)?.querySelectorAll<HTMLElement>('input, select, textarea, button, summary') ?? []),
  ]
  const focusAt = (n: number, what = 'input, textarea, select') =>
    setTimeout(() => rowAt(n)?.querySelector<HTMLElement>(what)?.focus())
  const add = (what?: string) => {
    if (lines.length >= most) return
    set([...lines, newLine(field.fields)])
    focusAt(lines.length, what)
  }
  /** A line goes to another place; the focus goes with it. */
  const move = (n: number, to: number, focused: Element | null) => {
    if (to < 0 || to >= lines.length || to === n) return
    const place = controlsOf(n).indexOf(focused as HTMLElement)
    set(lines.toSpliced(n, 1).toSpliced(to, 0, lines[n]!))
    setTimeout(() => controlsOf(to)[place]?.focus())
  }
  const copy = (n: number) => {
    if (lines.length >= most) return
    set(lines.toSpliced(n + 1, 0, instead(lines[n]!, { ...lines[n] })))
    focusAt(n + 1)
  }
  const remove = (n: number) => {
    set(lines.toSpliced(n, 1))
    if (lines.length > 1) focusAt(Math.min(n, lines.length - 2))
    else setTimeout(() => box.current?.querySelector<HTMLElement>('.add')?.focus())
    if (isBlankLine(lines[n]!, field.fields)) return
    tell(say('removed', { n: n + 1 }), { label: t('undo'), run: () => now.current.bring(n, lines[n]!), isHere: true })
  }
  const bring = (n: number, line: Values) => {
    set(lines.toSpliced(n, 0, line))
    focusAt(Math.min(n, lines.length))
  }
  const walk = (event: KeyboardEvent, n: number) => {
    const target = event.target as HTMLElement
    const { key, altKey, shiftKey } = event
    if (event.defaultPrevented || event.isComposing) return
    if (key === 'Enter' && target.tagName === 'INPUT' && !event.ctrlKey && !event.metaKey) {
      const same = `[name="${(target as HTMLInputElement).name}"]`
      const what = same === '[name=""]' ? undefined : same
      if (n < lines.length - 1) focusAt(n + 1, what)
      else add(what)
    } else if (altKey && key === 'ArrowDown' && shiftKey) copy(n)
    else if (altKey && key === 'ArrowDown') move(n, n + 1, target)
    else if (altKey && key === 'ArrowUp') move(n, n - 1, target)
    else if (altKey && key === 'Delete') remove(n)
    else return
    event.preventDefault()
  }
  const paste = (event: ClipboardEvent, n: number) => {
    const { tagName, name } = event.target as HTMLInputElement
    const into = tagName === 'INPUT' ? asked.find((one) => one.name === name) : undefined // what takes several lines of text gets them
    const cells = event.clipboardData && cellsOf(event.clipboardData.getData('text/plain'))
    if (!into || !cells?.length) return
    event.preventDefault()
    const pasted = linesOf(cells, asked, into).map((line) => ({ ...newLine(field.fields), ...line }))
    const isFirst = isBlankLine(lines[n]!, field.fields)
    const room = Math.max(0, most - lines.length + Number(isFirst))
    const taken = pasted.slice(0, room)
    set(lines.toSpliced(isFirst ? n : n + 1, Number(isFirst), ...taken))
    focusAt(n + taken.length - Number(isFirst))
    const left = pasted.length - taken.length
    tell(left ? say('pasted_some', { n: taken.length, left, most }) : say('pasted', { n: taken.length }), {
      label: t('undo'),
      run: () => set(lines),
      isHere: true,
    })
  }
  const fields = (field.fields ?? []).filter((one) => one.name !== ORDER && isAsked(one))
  const asked = fields.toSorted((a, b) => Number(Boolean(b.fills)) - Number(Boolean(a.fills)))
  const told = asked.filter((one) => isUsual(one, lines))
  const usual = told.length ? told : asked
  const rare = asked.filter((one) => !usual.includes(one))
  const shownLines: Row[] = Array.isArray(row?.[field.name]) ? row[field.name] : []
  const sums = reckoned?.value
  // A line that is as it was is not drawn again: among hundreds, a key changes one. What its controls do is looked up when they do it.
  const now = useRef({ change, move, copy, remove, bring, walk, paste })
  now.current = { change, move, copy, remove, bring, walk, paste }
  const kept = useRef(new WeakMap<Values, { from: unknown[]; made: JSX.Element }>())
  const drawn = (line: Values, n: number, draw: () => JSX.Element) => {
    const sum = sums?.get(line)
    const from = [n, lines.length, usual.length, errors, row, sum?.[LINE_SUM.name], sum?.currency]
    const before = kept.current.get(line)
    if (before?.from.every((one, m) => one === from[m])) return before.made
    const made = draw()
    kept.current.set(line, { from, made })
    return made
  }
  const inputOf = (line: Values, n: number) => (one: Field) => (
    <Input
      key={one.name}
      field={one.kind === 'long_text' ? { ...one, kind: 'text' } : one}
      value={line[one.name]}
      errors={errors}
      at={`${at}.${n}.${one.name}`}
      row={shownLines[n]}
      set={(to, chosen) => now.current.change(keyOf(line), one, to, chosen)}
    />
  )
  const dragging = useDragging((from, to) => now.current.move(from, to, null))
  return (
    <fieldset class="whole lines" ref={box} aria-describedby={errors[at] ? `${at}-errors` : undefined}>
      <legend>{field.label}</legend>
      {errors[at] && (
        <p class="error" id={`${at}-errors`}>
          {errors[at].join(' ')}
        </p>
      )}
      <div class="rows" {...dragging.over}>
        {lines.map((line, n) =>
          drawn(line, n, () => (
            <div
              class="row"
              key={keyOf(line)}
              role="group"
              aria-label={t('line', { n: n + 1 })}
              onKeyDown={(event) => now.current.walk(event, n)}
              onPaste={(event) => now.current.paste(event, n)}
            >
              <div class="line-fields">
                {usual.map(inputOf(line, n))}
                {sums && <LineSum sum={sums.get(line)} />}
              </div>
              <div class="line-foot">
                <div class="line-tools">
                  {lines.length > 1 && (
                    <>
                      <span class="grip" draggable title={say('drag_line')} aria-hidden="true" {...dragging.gripOf(n)}>
                        <Icon name="grip" />
                      </span>
                      <LineTool
                        label={t('lineUp', { n: n + 1 })}
                        icon="up"
                        disabled={n === 0}
                        act={(button) => now.current.move(n, n - 1, button)}
                      />
                      <LineTool
                        label={t('lineDown', { n: n + 1 })}
                        icon="down"
                        disabled={n === lines.length - 1}
                        act={(button) => now.current.move(n, n + 1, button)}
                      />
                    </>
                  )}
                  <LineTool
                    label={say('copy_line', { n: n + 1 })}
                    icon="copy"
                    disabled={lines.length >= most}
                    act={() => now.current.copy(n)}
                  />
                  <LineTool label={t('removeLine', { n: n + 1 })} icon="trash" act={() => now.current.remove(n)} />
                </div>
                {rare.length > 0 && (
                  <Rare n={n} isOpen={rare.some((one) => isSaidIn(line, one) || errors[`${at}.${n}.${one.name}`])}>
                    {() => rare.map(inputOf(line, n))}
                  </Rare>
                )}
              </div>
            </div>
          )),
        )}
        <div class="lines-foot">
          <button type="button" class="add" aria-disabled={lines.length >= most} onClick={() => add()}>
            <Icon name="plus" />
            {t('addLine')}
          </button>
          <p class="hint">{say('keys')}</p>
        </div>
      </div>
    </fieldset>
  )
}

const isSaidIn = (line: Values, field: Field) => {
  const value = line[field.name]
  return !isEmpty(value) && String(value) !== String(field.default ?? '') && !(isNumeric(field) && Number(value) === 0)
}

interface LineToolProps {
  label: string
  icon: IconName
  disabled?: boolean
  act: (button: Element) => void
}
const LineTool = ({ label, icon, disabled, act }: LineToolProps) => (
  <button
    type="button"
    class="plain only-icon"
    aria-label={label}
    aria-disabled={disabled}
    onClick={({ currentTarget }) => !disabled && act(currentTarget)}
  >
    <Icon name={icon} />
  </button>
)

/** What a line comes to, as the server reckons. */
const LINE_SUM: Field = { name: 'line_total', label: say('sum'), kind: 'money' }
const LineSum = ({ sum }: { sum: Row | undefined }) => (
  <div class="figure line-sum">
    <span class="label">{LINE_SUM.label}</span>
    <output>{sum ? textFor(LINE_SUM, sum[LINE_SUM.name], sum) : '–'}</output>
  </div>
)

/** What is rarely said of a line: asked for once somebody wants to say it, or it is said or wrong. */
function Rare({ n, isOpen, children }: { n: number; isOpen: boolean; children: () => ComponentChildren }) {
  const open = useSignal(isOpen)
  if (isOpen && !open.value) open.value = true
  return (
    <details class="rare" open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary aria-label={say('more_of', { n: n + 1 })}>{say('more')}</summary>
      {open.value && <div class="line-fields">{children()}</div>}
    </details>
  )
}

/** No text: a field that a line is dropped on takes none. */
const LINE_TYPE = 'application/x-line'

/** Lines are dragged by their grips; where one would come to stand is marked. */
function useDragging(moved: (from: number, to: number) => void) {
  const from = useRef<number | undefined>(undefined)
  const rowsIn = (box: Element) => [...box.querySelectorAll(':scope > .row')]
  const placeAt = (event: DragEvent & { currentTarget: Element }) => {
    const rows = rowsIn(event.currentTarget)
    const before = rows.findIndex((row) => {
      const { top, height } = row.getBoundingClientRect()
      return event.clientY < top + height / 2
    })
    return { rows, before: before < 0 ? rows.length : before }
  }
  const mark = (rows: Element[], at?: number) => {
    for (const [n, row] of rows.entries()) {
      row.toggleAttribute('data-before', n === at)
      row.toggleAttribute('data-behind', at === rows.length && n === at - 1)
    }
  }
  return {
    gripOf: (n: number) => ({
      onDragStart: (event: DragEvent & { currentTarget: Element }) => {
        from.current = n
        event.dataTransfer?.setData(LINE_TYPE, String(n))
        const row = event.currentTarget.closest('.row')
        if (row) event.dataTransfer?.setDragImage(row, 16, 16)
      },
    }),
    over: {
      onDragOver: (event: DragEvent & { currentTarget: Element }) => {
        if (from.current === undefined) return
        event.preventDefault()
        const { rows, before } = placeAt(event)
        mark(rows, before)
      },
      onDragEnd: (event: DragEvent & { currentTarget: Element }) => {
        from.current = undefined
        mark(rowsIn(event.currentTarget))
      },
      onDrop: (event: DragEvent & { currentTarget: Element }) => {
        const [began, { rows, before }] = [from.current, placeAt(event)]
        mark(rows)
        if (began === undefined) return
        event.preventDefault()
        from.current = undefined
        moved(began, before > began ? before - 1 : before)
      },
    },
  }
}

const PAUSE_MS = 150
const SHOWN = '20'

/** What is being looked up or made for a field. Each ends with what is to be said where nothing came of it. */
const lookups = new Set<Promise<string | undefined>>()
function beginLookup(): (failure?: string) => void {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  lookups.add(promise)
  return (failure) => {
    resolve(failure)
    // A form that is sent by the very key that left the field still learns of it.
    if (failure) setTimeout(() => lookups.delete(promise))
    else lookups.delete(promise)
  }
}

/** Waits for what is still looked up for fields. Answers why a form can't be sent; undefined: it can. */
export async function unsettled(): Promise<string | undefined> {
  while (lookups.size) {
    const failure = (await Promise.all(lookups)).find((one) => one)
    if (failure) return failure
  }
  return undefined
}

interface Option {
  key: unknown
  label: string
  row?: Row
  /** There is none yet: one of this name is made. */
  make?: string
}

interface ReferenceProps {
  field: Field
  value: unknown
  choose: (key: unknown, chosen?: Row) => void
  tied?: Tied
  label?: string
  placeholder?: string
  /** The record that is named, where it is known. */
  found?: Row | undefined
  /** Stays empty when one was chosen, for the next. */
  clears?: boolean
}

/** Finds a record by a few letters. Where no list has them, its id is asked for. */
export function ReferenceInput({ field, value, choose, tied, label, placeholder, found, clears }: ReferenceProps) {
  const screen = summaryOf(field.refers_to?.screen)
  const open = useSignal(false)
  const typed = useSignal<string | undefined>(undefined)
  const chosen = useSignal<Row | undefined>(found)
  const rows = useSignal<Row[]>([])
  /** What was typed when the rows were asked for; undefined: they are not there yet. */
  const told = useSignal<string | undefined>(undefined)
  /** Enter or Tab came before the rows: what they bring is taken then. */
  const waits = useRef<'first' | 'only' | undefined>(undefined)
  const endLookup = useRef<ReturnType<typeof beginLookup> | undefined>(undefined)
  const wait = (way: 'first' | 'only') => {
    waits.current = way
    endLookup.current ??= beginLookup()
  }
  const stop = (failure?: string) => {
    waits.current = undefined
    endLookup.current?.(failure)
    endLookup.current = undefined
  }
  useEffect(() => () => stop(), [])
  /** The record that was found is still the one that is named. */
  const isChosen = screen !== undefined && chosen.value !== undefined && String(chosen.value[screen.key_field]) === String(value)
  const mark = useSignal(0)
  const own = useId()
  const id = tied?.id ?? own
  useEffect(() => {
    if (!screen || isEmpty(value) || clears || isChosen || field.also?.includes(String(value))) return
    const ending = new AbortController()
    call('get', `${screen.path}/${encodeURIComponent(String(value))}`, { signal: ending.signal }).then(
      ({ data }) => (chosen.value = data),
      () => {}, // it stays a number
    )
    return () => ending.abort()
  }, [value])
  /** Those whose title begins as was typed come before those in which it stands elsewhere. */
  const bestFirst = (all: Row[]) => {
    const begun = (row: Row) =>
      titleOf(screen!, row)
        .toLowerCase()
        .startsWith(typed.value?.toLowerCase() ?? '')
    return all.toSorted((a, b) => Number(begun(b)) - Number(begun(a)))
  }
  function take(option: Option | undefined) {
    if (!option) return
    if (option.make) return void make(option.make)
    chosen.value = option.row
    leave()
    choose(option.key, option.row)
  }
  /** A record of which nothing more than its name must be said is made at once; else its form begins with the name, and this one is kept meanwhile. */
  async function make(name: string) {
    leave()
    const end = beginLookup()
    try {
      const { data } = await call('post', screen!.path, { body: { [screen!.title_field!]: name } })
      take({ key: data[screen!.key_field], label: name, row: data })
      end()
      tell(say('made', { noun: screen!.noun, name }))
    } catch (error) {
      end((error as Error).message)
      if (!(error instanceof ApiError && error.status === 422)) return tell((error as Error).message)
      const form = `${listAddress(screen!)}/new?${new URLSearchParams({ [screen!.title_field!]: name })}`
      // What is typed into a dialog is kept nowhere: it stays open, and the other form is beside it.
      if (!document.getElementById(id)?.closest('dialog')) return go(form)
      window.open(form, '_blank', 'noopener')
      tell(say('elsewhere', { noun: screen!.noun }))
    }
  }
  const notChosen = () => say('not_chosen', { field: field.label, text: typed.value?.trim() ?? '' })
  const leave = (failure?: string) => {
    stop(failure)
    typed.value = undefined
    open.value = false
  }
  /** Takes what was meant by what was typed: the best of what is found, or what alone can be meant. Nothing typed goes without a word. */
  const settle = (way: 'first' | 'only') => {
    const said = typed.value?.trim() ?? ''
    const same = rows.value.find((row) => titleOf(screen!, row).toLowerCase() === said.toLowerCase())
    const row = way === 'first' ? rows.value[0] : (same ?? (rows.value.length === 1 ? rows.value[0] : undefined))
    if (row) return take({ key: row[screen!.key_field], label: titleOf(screen!, row), row })
    if (way === 'first' && open.value) return stop(notChosen())
    if (!said) return leave()
    tell(notChosen())
    endLookup.current ??= beginLookup()
    leave(notChosen())
  }
  useEffect(() => {
    if (!screen || !(open.value || waits.current)) return
    const ending = new AbortController()
    const query: Record<string, string> = {
      per_page: SHOWN,
      ...(typed.value && screen.is_searchable ? { search: typed.value } : {}),
    }
    const timer = setTimeout(
      () => {
        call('get', screen.path, { params: { query }, signal: ending.signal }).then(
          ({ data }) => {
            rows.value = bestFirst(data as Row[])
            told.value = typed.value ?? ''
            mark.value = 0
            if (waits.current) settle(waits.current)
          },
          (error) => {
            if (waits.current && !ending.signal.aborted) leave(error.message)
          },
        )
      },
      typed.value ? PAUSE_MS : 0,
    )
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [typed.value, open.value])
  if (!screen)
    return (
      <input
        {...tied}
        aria-label={label}
        inputMode="numeric"
        value={isEmpty(value) ? '' : String(value)}
        onInput={(event) =>
          choose(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value) || event.currentTarget.value)
        }
      />
    )

  const also = (field.also ?? []).map((word) => ({ key: word as unknown, label: word.charAt(0).toUpperCase() + word.slice(1) }))
  const isTold = told.value === (typed.value ?? '')
  const text = typed.value?.trim()
  const options: Option[] = [
    ...(typed.value ? [] : also),
    ...rows.value.map((row) => ({ key: row[screen.key_field] as unknown, label: titleOf(screen, row), row })),
    ...(tied && text && isTold && !rows.value.length && screen.may_create && /^(name|title)$/.test(screen.title_field ?? '')
      ? [{ key: '', label: say('make', { noun: screen.noun, name: text }), make: text }]
      : []),
  ]
  const isAlso = also.find(({ key }) => key === value)
  const shown =
    typed.value ?? (isEmpty(value) ? '' : (isAlso?.label ?? (isChosen ? titleOf(screen, chosen.value!) : `#${value}`)))
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      if (open.value) mark.value = Math.min(mark.value + 1, options.length - 1)
      open.value = true
    } else if (event.key === 'ArrowUp') mark.value = Math.max(mark.value - 1, 0)
    else if (event.key === 'Enter' && open.value && !event.ctrlKey && !event.metaKey) {
      if (isTold || !typed.value) take(options[mark.value])
      else wait('first')
    } else if (event.key === 'Escape' && open.value) {
      leave()
      event.stopPropagation()
    } else return
    event.preventDefault()
  }
  return (
    <div class="combo">
      <input
        {...tied}
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-label={label}
        placeholder={placeholder ?? t('choose')}
        aria-expanded={open.value}
        aria-controls={open.value ? `${id}-list` : undefined}
        aria-activedescendant={open.value && options.length ? `${id}-${mark.value}` : undefined}
        value={shown}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => (open.value = true)}
        onInput={(event) => {
          if (waits.current) stop(notChosen())
          typed.value = event.currentTarget.value
          open.value = true
        }}
        onKeyDown={walk}
        onBlur={() => {
          if (typed.value === '') take({ key: undefined, label: '' })
          else if (!typed.value || !tied) leave()
          else if (isTold) settle('only')
          else {
            wait(waits.current ?? 'only')
            open.value = false
          }
        }}
      />
      {open.value && (
        <ul id={`${id}-list`} role="listbox" aria-label={field.label}>
          {options.map((option, n) => (
            <li
              key={String(option.key)}
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === mark.value}
              onPointerDown={(event) => {
                event.preventDefault()
                take(option)
              }}
            >
              {option.label}
            </li>
          ))}
          {!options.length && isTold && (
            <li role="option" tabIndex={-1} aria-selected="false" aria-disabled="true" class="quiet">
              {t('nothingFound')}
            </li>
          )}
        </ul>
      )}
    </div>
  )
}

function ReferencesInput({
  field,
  tied,
  value,
  row,
  set,
}: {
  field: Field
  tied: Tied
  value: unknown[]
  row?: Row | undefined
  set: (value: unknown) => void
}) {
  const near: unknown =
    row?.[field.name.replace(/_ids$/, 's')] ?? (field.refers_to?.embed ? row?.[field.refers_to.embed] : undefined)
  const screen = summaryOf(field.refers_to?.screen)
  const beside = Array.isArray(near) ? (near as Row[]) : []
  const rowOf = (key: unknown) => beside.find((one) => one[screen?.key_field ?? 'id'] === key)
  const lookedUp = useNames(
    screen,
    value.filter((key) => !rowOf(key)),
  )
  const nameOf = (key: unknown) => {
    const one = rowOf(key)
    if (!one) return lookedUp(key) ?? `#${key}`
    return screen ? titleOf(screen, one) : String(one.name ?? one.title ?? `#${key}`)
  }
  return (
    <>
      <ul class="chips">
        {value.map((key) => (
          <li key={String(key)}>
            {nameOf(key)}
            <button
              type="button"
              aria-label={t('remove', { name: nameOf(key) })}
              onClick={() => set(value.filter((one) => one !== key))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <ReferenceInput
        field={field}
        tied={tied}
        value={undefined}
        clears
        choose={(key) => key !== undefined && !value.includes(key) && set([...value, key])}
      />
    </>
  )
}
