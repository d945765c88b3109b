/** Inputs for each kind of field. */
import { type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { useRef } from 'preact/hooks'
import { boot } from '../boot.ts'
import { Check, Field as Labelled, type Tied } from '../parts/field.tsx'
import { lazyPart } from '../parts/lazy.tsx'
import { explained, named, permissionNamed, permitted, worded } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { useAnswer } from './data.ts'
import { type Errors, type InputProps, isAsked, isEmpty, isGroup, type Reckoned, type Values } from './form-values.ts'
import { LinesInput } from './lines-input.tsx'
import { NumberInput } from './number-input.tsx'
import { ReferenceInput, ReferencesInput } from './reference-input.tsx'
import { type Field, type Group, inGroups, type Row, screens, told } from './shape.ts'
import { countryOf, embedded, isCountry, isLanguage, isNumeric, languageOf, locale } from './values.tsx'

const WHOLE = new Set(['long_text', 'html', 'lines', 'object', 'json'])

interface FieldsProps {
  fields: Field[]
  values: Signal<Values>
  errors: Errors
  /** The record as displayed, with embedded references. */
  row?: Row | undefined
  touch?: (name: string) => void
  /** Shown below the lines. */
  below?: ComponentChildren
  /** Groups of fields. */
  groups?: Group[]
  reckoned?: Signal<Reckoned>
}

/** Order: short required fields first, full-width ones last. */
const rank = ({ kind, is_required, name }: Field) =>
  name === 'external_id' ? 5 : kind === 'lines' ? 3 : WHOLE.has(kind) ? 4 : kind === 'boolean' ? 2 : is_required ? 0 : 1

const LINES = { name: '', label: '', kind: 'lines' }
/** Fields of a form with their errors. */
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

function Input(props: InputProps): ComponentChildren {
  const { field, value, errors, at, set } = props
  if (field.kind === 'lines') return <LinesInput {...props} input={Input} />
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
    <div class={WHOLE.has(field.kind) ? 'whole' : isNumeric(field) ? 'figure' : field.kind === 'text' ? 'words' : undefined}>
      <Labelled label={field.label} hint={hintOf(field)} errors={errors[at]} required={field.is_required}>
        {control}
      </Labelled>
    </div>
  )
}

/** Returns a field's hint for users, without ids, nulls and routes. */
function hintOf({ hint, kind }: Field): string | undefined {
  if (!hint || /\bGET \//.test(hint) || (kind.startsWith('reference') && /^ids? of/i.test(hint))) return undefined
  return explained(hint) || undefined
}

/** Returns the options of a field. Countries and languages are shown by name, and sorted by it. */
function optionsOf(field: Field) {
  const options = field.options ?? []
  const name = isCountry(field) ? countryOf : isLanguage(field) ? languageOf : undefined
  return name
    ? options.map(({ value }) => ({ value, label: name(value) })).toSorted((a, b) => a.label.localeCompare(b.label, locale))
    : options
}

/** Codes that are typed (currency, time zone, language), with the browser's known ones as suggestions. */
const isCode = ({ kind, name }: Field) => kind === 'currency' || kind === 'timezone' || name === 'locale'
const KnownCodes = lazyPart(async () => (await import('./known-codes.tsx')).KnownCodes, null)

/** Formats an instant for the browser's control, in the user's time zone. */
function local(value: unknown): string {
  const date = new Date(String(value))
  if (isEmpty(value) || Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Turns a text field with known codes into a select; an unknown present value is added. */
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
    maxLength: field.max_length,
  }
  if (isNumeric(field))
    return (
      <NumberInput
        {...tied}
        name={field.name}
        held={value}
        set={set}
        onFocus={(event) => event.currentTarget.select()}
        class="numbers"
      />
    )
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
            autocomplete="off"
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

/** Free texts, one a line. */
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

/** Above this number of choices there is a search field. */
const MANY_CHOICES = 12

/** Checkboxes for several choices. Users who may not read the choices get a text field. */
function ChoicesInput({ field, tied, value, set }: ListProps & { value: unknown[] }) {
  const term = useSignal('')
  const { choices } = field
  const isPaged = screens.some(({ path }) => path === choices?.path)
  const { answer, error } = useAnswer(choices?.path, isPaged ? { per_page: '100' } : {})
  if (choices && error && !answer) return <WordsInput {...{ field, tied, value, set }} />
  const listed: Choice[] = choices
    ? ((answer?.data ?? []) as Row[]).map((row) => ({
        value: row[choices.field],
        label: typeof row.group === 'string' ? permissionNamed(String(row[choices.field])) : String(row[choices.field]),
        about: choices.about && (typeof row.group === 'string' ? permitted(String(row[choices.about])) : row[choices.about]),
        group: typeof row.group === 'string' ? moduleNamed(row.group) : undefined,
      }))
    : optionsOf(field)
  const others = value.filter((one) => !listed.some((option) => option.value === one))
  const begun = useRef(value)
  const toggle = (one: unknown, on: boolean) => set(on ? [...value, one] : value.filter((other) => other !== one))
  const { id, 'aria-describedby': described } = tied
  // Initially checked choices come first, visible without scrolling, so that nobody grants a permission unseen. Groups stay
  // together.
  const isBegun = (one: Choice) => Number(!one.group && begun.current.includes(one.value))
  const all = [...listed, ...others.map((one): Choice => ({ value: one, label: String(one) }))].toSorted(
    (a, b) => isBegun(b) - isBegun(a),
  )
  const wanted = term.value.trim().toLowerCase()
  const fits = ({ value, label, about, group }: Choice) =>
    [value, label, about, group].some((one) =>
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
            {group && <p class="choices-group">{group}</p>}
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

/** Permissions are grouped by module. */
const moduleNamed = (key: string) =>
  told.modules?.find((one) => one.key === key)?.title ?? named(worded(key.replaceAll('-', '_')))

interface Choice {
  value: unknown
  label: string
  about?: unknown
  group?: string | undefined
}

const TYPES: Record<string, 'date' | 'email' | 'tel' | 'url' | 'color' | 'password'> = {
  date: 'date',
  email: 'email',
  phone: 'tel',
  url: 'url',
  colour: 'color',
  secret: 'password',
}

/** Group of rarely used fields, collapsed unless one has a value or an error. */
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
