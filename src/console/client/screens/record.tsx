/** Page of a record: fields, lines, actions, notes and timeline. */
import { type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, type ComponentType, Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { go } from '../addresses.ts'
import { ApiError, call } from '../api.ts'
import { Answered } from '../parts/answered.tsx'
import { Field as Labelled } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { Paging } from '../parts/paging.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { WhyButton } from '../parts/why.tsx'
import { needs, sentence } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { ActionDialog, type Asked, acting, deedsOf, isPlain, mainDeeds } from './actions.tsx'
import { changed, useAnswer } from './data.ts'
import { Named } from './named.tsx'
import { spanOf } from './pages.tsx'
import { hasDeeds, RowDeeds } from './row-deeds.tsx'
import {
  type Field,
  fileAddress,
  filled,
  inGroups,
  lacking,
  listAddress,
  may,
  type Part,
  type Row,
  recordAddress,
  type Screen,
  summaryOf,
  titleOf,
} from './shape.ts'
import { isNumeric, textFor, Value } from './values.tsx'

/** Fields shown elsewhere on the page, or of no use to users. */
const ELSEWHERE = new Set([
  'note_entries',
  'latest_note',
  'activities',
  'timeline_activities',
  'id',
  'uuid',
  'external_id',
  'deleted_at',
  'revision',
])
const LONG = new Set(['long_text', 'html', 'json'])
/** Fields in the margin. */
const ABOUT = new Set(['created_at', 'updated_at', 'creator'])

const isSending = ({ action }: Asked) => action.path.endsWith('/send')

const isShown = (field: Field, row: Row) => {
  const value = row[field.name]
  if (field.kind === 'reference' && field.refers_to?.embed && row[field.refers_to.embed]) return true
  return value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && !value.length)
}

interface Props {
  screen: Screen
  id: string
  /** Module component above the record's fields. */
  top?: ComponentType<{ screen: Screen; row: Row }>
  /** Fields, sub-lists and related lists that are hidden because it shows them. */
  without?: readonly string[]
}

/** Derived page of a record; a custom page passes its own part as `top`. */
export function RecordScreen({ screen: whole, id, top: Top, without = [] }: Props) {
  const screen = without.length
    ? {
        ...whole,
        parts: whole.parts.filter(({ key }) => !without.includes(key)),
        related: whole.related.filter((list) => !without.includes(list.screen)),
      }
    : whole
  const { answer, error, again } = useAnswer(filled(screen.record!.path, id))
  const told = useAnswer(screen.record_actions ? filled(screen.record_actions, id) : undefined).answer
  const asked = useSignal<Asked | undefined>(undefined)
  const back = { label: screen.title, to: listAddress(screen) }
  if (!answer)
    return (
      <ScreenFrame title={screen.title} back={back}>
        {error ? <Trouble error={error} again={again} /> : <p class="quiet">{t('loading')}</p>}
      </ScreenFrame>
    )
  const row: Row = answer.data
  const name = titleOf(screen, row)
  const isDeleted = Boolean(row.deleted_at)
  const reasons = Array.isArray(told?.data) ? told.data : undefined
  const { state, together, others, folded, tables, about, made } = laidOut(screen, row, without)
  return (
    <ScreenFrame
      title={name}
      back={back}
      beside={state && <Value field={state} row={row} />}
      tools={<RecordTools {...{ screen, row, id, name, made, asked, reasons }} />}
    >
      {isDeleted && (
        <p class="chosen-bar">
          <Icon name="trash" />
          {t('trash')}
        </p>
      )}
      <div class="record">
        <div>
          {Top && !isDeleted && <Top screen={whole} row={row} />}
          {together.map(({ title, fields }) => (
            <Facts key={title} title={title} fields={fields} row={row} />
          ))}
          {others.length > 0 && <Facts title={t('details')} fields={others} row={row} isUntitled={!together.length} />}
          {folded.map(({ title, fields }) => (
            <Facts key={title} title={title} fields={fields} row={row} />
          ))}
          {tables.map((field) => (
            <LinesTable key={field.name} field={field} rows={row[field.name]} record={row} isTold={toldBy(screen, field)} />
          ))}
          {screen.parts
            .filter(({ allow }) => may(allow))
            .map((part) => (
              <PartTable key={part.key} owner={screen} part={part} id={id} ask={(one) => (asked.value = one)} />
            ))}
          <Related screen={screen} id={id} isDeleted={isDeleted} />
        </div>
        <div>
          {screen.notes && <Notes screen={screen} id={id} row={row} isDeleted={isDeleted} />}
          {screen.timeline && <Timeline screen={screen} path={filled(screen.timeline, id)} row={row} />}
          {about.length > 0 && (
            <section>
              <h2 class="unseen">{t('more')}</h2>
              <dl class="facts">
                {about.map((field) => (
                  <Fact key={field.name} field={field} row={row} />
                ))}
              </dl>
            </section>
          )}
        </div>
      </div>
      {asked.value && (
        <ActionDialog
          asked={asked.value}
          done={(message) => {
            const gone = asked.value?.action.method === 'DELETE' && asked.value.action.path === screen.record!.path
            const purged = asked.value?.action.path === screen.purge?.path
            asked.value = undefined
            if (!message) return
            tell(message)
            if (gone || purged) go(listAddress(screen))
            changed()
          }}
        />
      )}
    </ScreenFrame>
  )
}

/** Layout of a record's fields, and records that can be created for it. */
function laidOut(screen: Screen, row: Row, without: readonly string[]) {
  const state = screen.record!.fields.find(({ name, kind }) => name === 'status' && kind === 'enum')
  const fields = screen.record!.fields.filter(
    (field) => !ELSEWHERE.has(field.name) && !without.includes(field.name) && isShown(field, row),
  )
  const facts = fields.filter(
    ({ kind, name }) =>
      !LONG.has(kind) &&
      !['lines', 'object'].includes(kind) &&
      !ABOUT.has(name) &&
      name !== screen.title_field &&
      name !== state?.name,
  )
  const long = fields.filter(({ kind }) => LONG.has(kind))
  const parts = new Set(screen.parts.map(({ key }) => key.replaceAll('-', '_')))
  const tables = fields.filter(({ kind, name }) => kind === 'lines' && !parts.has(name))
  const about = fields.filter(({ name }) => ABOUT.has(name))
  // Records created for one in progress with a remaining amount: a payment for an invoice.
  const isOnItsWay = screen.lifecycle !== null && row[screen.lifecycle.field] !== screen.lifecycle.initial && !row.deleted_at
  const sums = new Set(fields.filter(({ kind }) => kind === 'money').map(({ name }) => name))
  const made = screen.related.flatMap(({ screen: key, field, takes }) => {
    const list = summaryOf(key)
    const amount = takes.find((name) => sums.has(name))
    return isOnItsWay && list?.may_create && field && amount && Number(row[amount]) > 0 ? [{ list, field }] : []
  })
  const { together, others, folded } = inGroups([...facts, ...long], screen.groups)
  return { state, together, others, folded, tables, about, made }
}

interface ToolsProps {
  screen: Screen
  row: Row
  id: string
  name: string
  made: ReturnType<typeof laidOut>['made']
  asked: Signal<Asked | undefined>
  reasons: Parameters<typeof deedsOf>[2]
}

/** Actions on a record: status changes, records to create, and a menu with the rest. */
function RecordTools({ screen, row, id, name, made, asked, reasons }: ToolsProps) {
  const isActing = useRef(false)
  const isDeleted = Boolean(row.deleted_at)
  const run = async (one: Asked) => {
    if (!isPlain(one)) return void (asked.value = one)
    if (isActing.current) return
    isActing.current = true
    try {
      const message = await acting(one)
      const { back } = one
      if (isSending(one) && mailing)
        tell(t('notMailed', { name }), { label: mailing.label, run: () => (asked.value = mailing.asked), isHere: true })
      else tell(message, back && { label: t('undo'), run: () => void run({ ...one, body: back, back: undefined }) })
      changed()
    } catch (error) {
      tell((error as Error).message)
    } finally {
      isActing.current = false
    }
  }
  const restore = async () => {
    await call('post', filled(screen.restore!.path, id), { body: {} })
    tell(t('restored', { name }))
    changed()
  }
  const remove = async () => {
    try {
      await call('delete', filled(screen.remove!.path, id))
      tell(
        t('deleted', { name }),
        screen.restore && may(screen.restore.allow)
          ? { label: t('undo'), run: () => void restore().catch((error) => tell(error.message)) }
          : undefined,
      )
      go(listAddress(screen))
      changed()
    } catch (error) {
      tell((error as Error).message)
    }
  }
  const why = (form: { allow: string[] }) => {
    const missing = lacking(form.allow)
    return missing.length ? needs(missing) : undefined
  }
  const deeds = isDeleted ? [] : deedsOf(screen, row, reasons)
  const main = mainDeeds(deeds)
  // Sending only issues a document; mailing it is a separate action.
  const mailing = deeds.find(({ asked: { action } }) => action.path.endsWith('/email') && may(action.allow))
  const more = deeds.filter((deed) => !main.includes(deed))
  return (
    <>
      {made.map(({ list, field }, n) => (
        <a
          key={list.key}
          class={n === 0 ? 'button primary' : 'button'}
          href={`${listAddress(list)}/new?${field}=${encodeURIComponent(id)}`}
        >
          <Icon name="plus" />
          {t('newOne', { noun: list.noun })}
        </a>
      ))}
      {main.map(({ key, label, why, asked: one, isOnward }, n) => (
        <WhyButton
          key={key}
          kind={n === 0 && isOnward && !made.length ? 'primary' : one.action.is_danger ? 'danger' : ''}
          why={why}
          act={() => void run({ ...one, on: id })}
        >
          {label}
        </WhyButton>
      ))}
      {screen.edit && may(screen.edit.allow) && !isDeleted && (
        <a class="button" href={`${recordAddress(screen, id)}/edit`}>
          <Icon name="edit" />
          {t('edit')}
        </a>
      )}
      {isDeleted && screen.restore && may(screen.restore.allow) && (
        <button type="button" class="primary" onClick={() => void restore().catch((error) => tell(error.message))}>
          <Icon name="undo" />
          {t('restore')}
        </button>
      )}
      <Menu
        label={
          <>
            {t('actions')}
            <Icon name="down" />
          </>
        }
      >
        {more.map(({ key, label, why, asked: one }) => (
          <Item key={key} why={why} kind={one.action.is_danger ? 'danger' : undefined} act={() => void run({ ...one, on: id })}>
            {label}
          </Item>
        ))}
        {screen.downloads
          .filter(({ allow }) => may(allow))
          .map((one) => (
            <Item key={one.path} act={() => location.assign(fileAddress(filled(one.path, id)))}>
              <Icon name="download" />
              {one.label}
            </Item>
          ))}
        {screen.remove && !isDeleted && (
          <Item
            kind="danger"
            why={why(screen.remove)}
            act={() =>
              screen.restore
                ? void remove()
                : (asked.value = {
                    action: { ...screen.remove!, label: t('delete'), description: t('deleteForGoodSays'), is_danger: true },
                    on: id,
                  })
            }
          >
            {t('delete')}
          </Item>
        )}
        {screen.purge && isDeleted && (
          <Item
            kind="danger"
            why={why(screen.purge)}
            act={() =>
              (asked.value = {
                action: { ...screen.purge!, label: t('deleteForGood'), description: t('deleteForGoodSays'), is_danger: true },
                on: id,
              })
            }
          >
            {t('deleteForGood')}
          </Item>
        )}
      </Menu>
    </>
  )
}

const Facts = ({ title, fields, row, isUntitled }: { title: string; fields: Field[]; row: Row; isUntitled?: boolean }) => (
  <section>
    <h2 class={isUntitled ? 'unseen' : undefined}>{title}</h2>
    <dl class="facts">
      {fields.map((field) => (
        <Fact key={field.name} field={field} row={row} isWhole={LONG.has(field.kind)} />
      ))}
    </dl>
  </section>
)

const Fact = ({ field, row, isWhole }: { field: Field; row: Row; isWhole?: boolean }) => (
  <div class={isWhole ? 'whole' : undefined}>
    <dt>{field.label}</dt>
    <dd class={isNumeric(field) ? 'numbers' : undefined}>
      <Value field={field} row={row} whole />
    </dd>
  </div>
)

/** Returns the columns with a value in some row. */
const usedColumns = (fields: Field[], rows: Row[]) =>
  fields.filter(
    (field) =>
      !['id', 'uuid', 'sort_order', 'external_id', 'updated_at', 'deleted_at'].includes(field.name) &&
      !['object', 'json', 'lines', 'uuid'].includes(field.kind) &&
      rows.some((row) => isShown(field, row)),
  )

/** For lines of a record: hides zero discounts and default units, to save space. */
function toldBy({ edit, create }: Screen, { name }: Field) {
  const asked = (edit ?? create)?.fields.find((one) => one.name === name)?.fields ?? []
  return (column: Field, row: Row) => {
    const value = row[column.name]
    if (column.name.startsWith('discount')) return Number(value) !== 0
    const usual = isNumeric(column) ? undefined : asked.find((one) => one.name === column.name)?.default
    return usual === undefined || String(value) !== String(usual)
  }
}

interface LinesProps {
  field: Field
  rows: Row[]
  record: Row
  isHeaded?: boolean
  /** Returns whether a column's value in a row is worth showing. */
  isTold?: (column: Field, row: Row) => boolean
  /** Actions on a row, at its end. */
  deeds?: ((row: Row) => ComponentChildren) | undefined
}

/** Adds the fields of embedded records to a row: `customer_payment.paid_at`. */
const withInner = (row: Row): Row => {
  const records = Object.entries(row).filter(([, one]) => one && typeof one === 'object' && !Array.isArray(one))
  const inner = records.flatMap(([name, one]) => Object.entries(one).map(([of, value]) => [`${name}.${of}`, value]))
  return { ...row, ...Object.fromEntries(inner) }
}

function LinesTable({ field, rows: told, record, isHeaded, isTold, deeds }: LinesProps) {
  const rows = told.map(withInner)
  const used = usedColumns(field.fields ?? [], rows).filter((column) => !isTold || rows.some((row) => isTold(column, row)))
  // A long text is shown below the title, as in print.
  const full = used.find(({ kind }, n) => n > 0 && LONG.has(kind))
  const columns = used.filter((column) => column !== full)
  if (!columns.length) return null
  return (
    <section>
      {!isHeaded && <h2>{field.label}</h2>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
      <div class="table-wrap" role="region" aria-label={field.label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" class={isNumeric(column) ? 'numbers' : undefined}>
                  {column.label}
                </th>
              ))}
              {deeds && (
                <th scope="col">
                  <span class="unseen">{t('actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, n) => (
              <tr key={row.id ?? n}>
                {columns.map((column, m) => (
                  <td key={column.name} class={isNumeric(column) ? 'numbers' : undefined}>
                    <Value field={column} row={{ currency: record.currency, ...row }} />
                    {m === 0 && full && <small class="row-text">{textFor(full, row[full.name], row)}</small>}
                  </td>
                ))}
                {deeds && <td class="deeds">{deeds(row)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Pages of a record's sub-list: the previous page stays until the next one arrives. */
function usePages(path: string) {
  const page = useSignal(1)
  const now = useAnswer(path, page.value > 1 ? { page: String(page.value) } : {})
  const last = useRef(now.answer)
  if (now.answer) last.current = now.answer
  const answer = last.current
  const lastPage: number = answer?.meta?.last_page ?? 1
  useEffect(() => {
    if (page.value > lastPage) page.value = lastPage // its rows were deleted
  }, [lastPage])
  const rows: Row[] = Array.isArray(answer?.data) ? answer.data : []
  // A deleted record has no such list any more.
  const error = now.error instanceof ApiError && now.error.status === 404 ? undefined : now.error
  return { shown: { ...now, answer, error }, rows, page, lastPage }
}

function PageTurner({ name, of: { shown, rows, page, lastPage } }: { name: string; of: ReturnType<typeof usePages> }) {
  if (lastPage < 2) return null
  return (
    <nav class="pages" aria-label={`${t('pages')}: ${name}`}>
      <span class="numbers">{spanOf(shown.answer!.meta, rows.length)}</span>
      <Paging page={page.value} last={lastPage} to={(next) => void (page.value = next)} />
    </nav>
  )
}

const AS_ROW = { title_field: null, key_field: 'id', noun: '' }

/** Sub-list of a record, with the actions on its rows. */
function PartTable({ owner, part, id, ask }: { owner: Screen; part: Part; id: string; ask: (asked: Asked) => void }) {
  const pages = usePages(filled(part.path, id))
  const { shown: told, rows } = pages
  const create = part.create && may(part.create.allow) ? part.create : undefined
  /** Hides the column that refers to this record itself. */
  const isOwn = ({ name, refers_to }: Field) =>
    refers_to?.screen === owner.key &&
    rows.every((row) => String(row[name] ?? row[refers_to.embed ?? '']?.[owner.key_field]) === id)
  if (!rows.length && !create && !told.error) return null
  const shown = part.list.columns.filter((column) => !column.is_hidden && !isOwn(column))
  // Shows the time of creation where no other column has a time.
  const isTimed = shown.some(({ kind }) => kind === 'date' || kind === 'instant')
  const made = part.list.columns.filter(({ name }) => name === 'created_at')
  const columns = usedColumns(isTimed ? shown : [...shown, ...made], rows)
  return (
    <section>
      <div class="head">
        <h2>{part.title}</h2>
        {create && (
          <button type="button" onClick={() => ask({ action: { ...create, label: t('newOne', { noun: part.noun }) }, on: id })}>
            <Icon name="plus" />
            {t('newOne', { noun: part.noun })}
          </button>
        )}
      </div>
      {(told.answer || told.error !== undefined) && (
        <Answered of={told}>
          {() =>
            rows.length > 0 && (
              <LinesTable
                field={{ name: part.key, label: part.title, kind: 'lines', fields: columns }}
                rows={rows}
                record={{}}
                isHeaded
                deeds={
                  hasDeeds(part)
                    ? (row) => <RowDeeds deeds={part} row={row} name={titleOf(AS_ROW, row)} keys={[id, row.id]} ask={ask} />
                    : undefined
                }
              />
            )
          }
        </Answered>
      )}
      <PageTurner name={part.title} of={pages} />
    </section>
  )
}

/** Lists of records that refer to this one, and links to create them. */
function Related({ screen, id, isDeleted }: { screen: Screen; id: string; isDeleted: boolean }) {
  const lists = screen.related.flatMap(({ screen: key, ...how }) => {
    const list = summaryOf(key)
    return list ? [{ list, ...how }] : []
  })
  if (!lists.length) return null
  return (
    <section>
      <h2>{t('related')}</h2>
      <ul class="related">
        {lists.map(({ list, filter, field }) => (
          <li key={list.key}>
            <a href={`${listAddress(list)}?${filter}=${encodeURIComponent(id)}`}>{list.title}</a>
            {field && list.may_create && !isDeleted && (
              <a
                class="button plain only-icon"
                href={`${listAddress(list)}/new?${field}=${encodeURIComponent(id)}`}
                aria-label={t('newOne', { noun: list.noun })}
              >
                <Icon name="plus" />
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Notes({ screen, id, row, isDeleted }: { screen: Screen; id: string; row: Row; isDeleted: boolean }) {
  const form = screen.notes!
  const body = useSignal('')
  const error = useSignal('')
  const notes: Row[] = row.note_entries ?? (Array.isArray(row.notes) ? row.notes : [])
  const add = async (event: Event) => {
    event.preventDefault()
    if (!body.value.trim()) return
    try {
      await call('post', filled(form.path, id), { body: { body: body.value } })
      body.value = ''
      error.value = ''
      changed()
    } catch (failure) {
      error.value = (failure as Error).message
    }
  }
  return (
    <section>
      <h2>{t('notes')}</h2>
      {may(form.allow) && !isDeleted && (
        <form class="note-form" onSubmit={add}>
          <div class="wide">
            <Labelled label={t('note')} errors={error.value ? [error.value] : undefined}>
              {(tied) => (
                <textarea {...tied} rows={2} value={body.value} onInput={(event) => (body.value = event.currentTarget.value)} />
              )}
            </Labelled>
          </div>
          <button type="submit">{t('addNote')}</button>
        </form>
      )}
      {notes.length ? (
        <ul class="happened">
          {notes.map((note) => (
            <li key={note.id}>
              <div class="text">{note.is_truncated ? `${note.body}…` : note.body}</div>
              <small>
                {note.creator?.name} · <Value field={AT} row={note} />
              </small>
            </li>
          ))}
        </ul>
      ) : (
        <p class="quiet">{t('noNotes')}</p>
      )}
    </section>
  )
}

const AT: Field = { name: 'created_at', label: '', kind: 'instant' }

/** Former or new value of a field, formatted as in the record. */
function said(field: Field | undefined, value: unknown, row: Row): ComponentChildren {
  if (value === null || value === undefined || value === '') return '–'
  if (!field?.kind.startsWith('reference'))
    return field || typeof value !== 'object' ? textFor(field ?? PLAIN, value, row) : JSON.stringify(value)
  const screen = summaryOf(field.refers_to?.screen)
  const keys = [value].flat()
  if (!screen || keys.some((key) => typeof key === 'object'))
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  return keys.map((key, n) => (
    <Fragment key={key}>
      {n > 0 && ', '}
      <Named screen={screen} of={key} />
    </Fragment>
  ))
}
const PLAIN: Field = { name: '', label: '', kind: 'text' }

/** Timeline, newest first, with changed values. */
function Timeline({ screen, path, row: record }: { screen: Screen; path: string; row: Row }) {
  const pages = usePages(path)
  const { shown, rows } = pages
  if (!rows.length && !shown.error) return null
  const all = [screen.edit, screen.record].flatMap((one) => one?.fields ?? [])
  // A more precise variant of a field uses that field's format.
  const fields = new Map(all.flatMap((field) => [field.name, field.shown_as ?? []].flat().map((name) => [name, field])))
  return (
    <section>
      <h2>{t('history')}</h2>
      <Answered of={shown}>
        {() => (
          <ol class="happened">
            {rows.map((row) => (
              <Happened key={row.id} row={row} fields={fields} record={record} />
            ))}
          </ol>
        )}
      </Answered>
      <PageTurner name={t('history')} of={pages} />
    </section>
  )
}

interface HappenedProps {
  row: Row
  fields: ReadonlyMap<string, Field>
  record: Row
}

/** Returns whether the entry's sentence, or the change of a more precise field, already contains this change. */
function isTwice(name: string, { type, changed }: Row, fields: HappenedProps['fields']) {
  const field = fields.get(name)
  const said = type === 'status_changed' ? ['status'] : Object.keys(changed ?? {}).filter((one) => one !== name)
  return said.some((one) => one === name || (field?.name === one && field.shown_as === name))
}

const Happened = ({ row, fields, record }: HappenedProps) => (
  <li>
    <span>{sentence(row.description ?? String(row.type).replaceAll('_', ' '))}</span>
    {Object.entries((row.changed ?? {}) as Record<string, unknown>)
      .filter(([name, change]) => typeof change === 'object' && change && !isTwice(name, row, fields))
      .map(([name, change]) => {
        const [before, after] = Array.isArray(change)
          ? change
          : [(change as Row).from ?? (change as Row).before, (change as Row).to ?? (change as Row).after]
        return (
          <span class="changes" key={name}>
            {fields.get(name)?.label ?? name.replaceAll('_', ' ')}: {said(fields.get(name), before, record)} →{' '}
            {said(fields.get(name), after, record)}
          </span>
        )
      })}
    <small>
      {row.actor?.name ?? row.client} · <Value field={AT} row={row} />
    </small>
  </li>
)
