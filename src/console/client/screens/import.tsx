/** Import of records from a file in steps: file, mapping of columns, trial run, import, undo. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { at, go } from '../addresses.ts'
import { ApiError, call } from '../api.ts'
import { Field as Labelled } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { t } from '../texts/texts.ts'
import { ActionDialog } from './actions.tsx'
import { changed } from './data.ts'
import { patiently, pause } from './polling.ts'
import { type Action, fileAddress, listAddress, type Row, type Screen, screenFor } from './shape.ts'
import { counted } from './values.tsx'

interface Found {
  headers: string[]
  sample_rows: string[][]
  suggested_mapping: Record<string, string>
  fields: { field: string; title: string; required: boolean }[]
  sheets: string[]
  sheet: string | null
  header_row: number
  decimal_sign: string
  group_sign: string | null
  day_order: string | null
  /** Only in imports other than those of leads, which don't suggest a template. */
  template?: { id: number; name: string } | null
}
/** Notation of numbers and dates in a file. */
type Notation = Pick<Found, 'decimal_sign' | 'group_sign' | 'day_order'>
interface Preview {
  sample_records: { row: number; action: 'created' | 'updated' | 'skipped'; values: Record<string, unknown> }[]
  sample_errors: { row: number; errors: Record<string, string[]> }[]
  [count: string]: unknown
}

/** Leads have imports of their own, with a separate undo status; all other records share one route. */
const pathOf = (screen: Screen) => (screen.imports ? `${screen.path}/imports` : '/imports')

const RUNNING = new Set(['queued', 'processing', 'undoing'])
const STEPS = ['importFile', 'importColumns', 'importTrial', 'importRun'] as const

/** Polls the progress of an import or its undoing until the end. Returns a function that stops it. */
function follow(path: string, say: (row: Row) => void, fail: (error: Error) => void): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const look = async () => {
    for (;;) {
      const { data } = await patiently(() => call('get', path, { signal }), signal)
      say(data as Row)
      if (!RUNNING.has(data.status)) return
      await pause()
      signal.throwIfAborted()
    }
  }
  look().catch((error) => {
    if (!signal.aborted) fail(error)
  })
  return () => ending.abort()
}

/** Merges an import with its separate undo status. */
const withUndo = (row: Row, undo: Row | undefined): Row =>
  undo ? { ...row, ...undo, status: undo.status ?? row.status, error: undo.error ?? (undo.status ? null : row.error) } : row

export function ImportScreen({ screen }: { screen: Screen }) {
  const path = pathOf(screen)
  const uuid = at.value.searchParams.get('import')
  const row = useSignal<Row | undefined>(undefined)
  /** Undo status, where it is separate. */
  const undone = useSignal<Row | undefined>(undefined)
  const found = useSignal<Found | undefined>(undefined)
  const mapping = useSignal<Record<string, string>>({})
  const notation = useSignal<Notation>(PLAIN)
  const preview = useSignal<Preview | undefined>(undefined)
  /** Further options of lead imports: handling of duplicates. */
  const options = useSignal<Action | undefined>(undefined)
  const isAsking = useSignal(false)
  const failed = useSignal('')
  const waits = useSignal(false)
  const heading = useRef<HTMLHeadingElement>(null)

  const status = row.value?.status as string | undefined
  const isBegun = status !== undefined && !['uploaded', 'mapped'].includes(status)
  const step = isBegun ? 3 : preview.value ? 2 : found.value ? 1 : 0
  const first = useRef(step)
  useEffect(() => {
    if (first.current !== step) heading.current?.focus()
    first.current = step
  }, [step])

  useEffect(() => {
    if (screen.imports)
      screenFor(screen.imports).then(
        ({ actions }) => (options.value = actions.find((action) => action.path.endsWith('/options'))),
        () => {}, // the API's defaults apply
      )
  }, [])

  const one = `${path}/${encodeURIComponent(uuid ?? '')}`
  const fail = ({ message }: Error) => (failed.value = message)
  const into = (told: typeof row) => (data: Row) => {
    if (RUNNING.has(told.value?.status) && !RUNNING.has(data.status)) changed()
    told.value = data
  }
  // A running import is followed, also after the user returns to it.
  useEffect(() => (uuid ? follow(one, into(row), fail) : undefined), [uuid, status && RUNNING.has(status)])
  const isTakenBackBeside = uuid !== null && screen.imports !== null && hasEnded(status)
  useEffect(
    () => (isTakenBackBeside ? follow(`${one}/undo`, into(undone), fail) : undefined),
    [isTakenBackBeside, undone.value?.status === 'undoing'],
  )

  const doing = async (work: () => Promise<void>) => {
    if (waits.value) return
    waits.value = true
    failed.value = ''
    try {
      await work()
    } catch (error) {
      const said = error instanceof ApiError ? Object.values(error.fields).flat() : []
      failed.value = said.join(' ') || (error as Error).message
    } finally {
      waits.value = false
    }
  }
  const upload = (file: File | undefined) =>
    file &&
    void doing(async () => {
      const body = screen.imports ? { file } : { module: screen.path.slice(1), file }
      const { data } = await call('post', path, { body })
      show(data.context as Found)
      row.value = data.import as Row
      go(`${listAddress(screen)}/import?import=${data.import.uuid}`, { replace: true })
    })
  const show = (context: Found) => {
    found.value = context
    mapping.value = context.suggested_mapping
    const { decimal_sign, group_sign, day_order } = context
    notation.value = { decimal_sign, group_sign, day_order }
  }
  const readAgain = (choice: { sheet?: string; header_row?: number }) =>
    void doing(async () => {
      const { data } = await call('put', `${one}/table`, { body: choice })
      row.value = data.import as Row
      show(data.context as Found)
    })
  const saveTemplate = (name: string) =>
    void doing(async () => {
      const { sheet, header_row } = found.value!
      const module = screen.path.slice(1)
      const body = { module, name, mapping: mapping.value, sheet, header_row, ...notation.value }
      const { message } = await call('post', '/imports/templates', { body })
      tell(message)
    })
  const attempt = () =>
    void doing(async () => {
      row.value = (await call('put', one, { body: { mapping: mapping.value, ...notation.value } })).data as Row
      preview.value = (await call('post', `${one}/preview`, { body: {} })).data as Preview
    })
  const act = (verb: 'run' | 'undo') =>
    void doing(async () => {
      const { data } = await call('post', `${one}/${verb}`, { body: {} })
      if (verb === 'undo' && screen.imports) undone.value = data as Row
      else row.value = data as Row
    })
  const anew = () => {
    row.value = undone.value = found.value = preview.value = undefined
    go(`${listAddress(screen)}/import`, { replace: true })
  }

  return (
    <ScreenFrame title={t('importTitle', { title: screen.title })} back={{ label: screen.title, to: listAddress(screen) }}>
      <ol class="steps">
        {STEPS.map((name, n) => (
          <li key={name} aria-current={n === step ? 'step' : undefined}>
            {n + 1}. {t(name)}
          </li>
        ))}
      </ol>
      <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
      <section class="form">
        <h2 ref={heading} tabIndex={-1}>
          {t(STEPS[step]!)}
        </h2>
        {step === 0 && <FileStep screen={screen} upload={upload} waits={waits.value} />}
        {step === 1 && (
          <>
            <TableChoice
              key={`${found.value!.sheet} ${found.value!.header_row}`}
              found={found.value!}
              read={readAgain}
              waits={waits.value}
            />
            <NotationChoice notation={notation.value} choose={(next) => (notation.value = next)} />
            <ColumnsStep
              found={found.value!}
              mapping={mapping.value}
              map={(next) => (mapping.value = next)}
              go={attempt}
              waits={waits.value}
            />
            <TemplateForm save={saveTemplate} waits={waits.value} />
          </>
        )}
        {step === 2 && (
          <TrialStep
            preview={preview.value!}
            fields={found.value?.fields ?? []}
            back={() => (preview.value = undefined)}
            run={() => act('run')}
            options={options.value && { label: options.value.label, ask: () => (isAsking.value = true) }}
            waits={waits.value}
          />
        )}
        {step === 3 && (
          <RunStep
            screen={screen}
            row={withUndo(row.value!, undone.value)}
            one={one}
            undo={isTakenBackBeside && !undone.value ? undefined : () => act('undo')}
            anew={anew}
          />
        )}
      </section>
      {isAsking.value && (
        <ActionDialog
          asked={{ action: options.value!, on: uuid, row: row.value, isEdit: true }}
          done={(message) => {
            isAsking.value = false
            if (message) attempt()
          }}
        />
      )}
    </ScreenFrame>
  )
}

const ACCEPTED = ['.csv', '.xlsx', '.vcf']

function FileStep({ screen, upload, waits }: { screen: Screen; upload: (file: File | undefined) => unknown; waits: boolean }) {
  const isOver = useSignal(false)
  return (
    <>
      <p class="quiet">{t('importFileSays')}</p>
      <div
        class={isOver.value ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          upload(event.dataTransfer?.files[0])
        }}
      >
        <Labelled label={t('importChoose')}>
          {(tied) => (
            <input
              {...tied}
              type="file"
              accept={ACCEPTED.join(',')}
              disabled={waits}
              onChange={(event) => upload(event.currentTarget.files?.[0])}
            />
          )}
        </Labelled>
      </div>
      {screen.export && (
        <p>
          <a href={fileAddress(`${screen.export.path}?format=csv`)} download>
            {t('importExample')}
          </a>
        </p>
      )}
      {waits && <p role="status">{t('loading')}</p>}
    </>
  )
}

const PLAIN: Notation = { decimal_sign: '.', group_sign: null, day_order: null }

interface TableChoiceProps {
  found: Found
  read: (choice: { sheet?: string; header_row?: number }) => void
  waits: boolean
}

/** Choice of sheet and header row, initially as detected. */
function TableChoice({ found: { sheets, sheet, header_row, template }, read, waits }: TableChoiceProps) {
  const chosen = useSignal(header_row)
  return (
    <>
      {template && <p>{t('importTemplateUsed', { name: template.name })}</p>}
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          if (!waits) read({ header_row: chosen.value })
        }}
      >
        {sheets.length > 1 && (
          <Labelled label={t('importSheet')}>
            {(tied) => (
              <select
                {...tied}
                name="sheet"
                value={sheet ?? ''}
                disabled={waits}
                onChange={(event) => read({ sheet: event.currentTarget.value })}
              >
                {sheets.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
        )}
        <Labelled label={t('importHeaderRow')}>
          {(tied) => (
            <input
              {...tied}
              type="number"
              name="header_row"
              min={1}
              step={1}
              required
              value={chosen.value}
              onInput={(event) => (chosen.value = event.currentTarget.valueAsNumber)}
            />
          )}
        </Labelled>
        {chosen.value !== header_row && (
          <button type="submit" aria-disabled={waits}>
            {t('importReadAgain')}
          </button>
        )}
      </form>
    </>
  )
}

const DECIMAL_SIGNS = ['.', ',']
const GROUP_SIGNS = ['.', ',', ' ', "'"]
const DAY_ORDERS = ['dmy', 'mdy', 'ymd'] as const

/** Choice of the notation of numbers and dates. */
function NotationChoice({ notation, choose }: { notation: Notation; choose: (notation: Notation) => void }) {
  return (
    <div class="fields">
      <Labelled label={t('importDecimal')}>
        {(tied) => (
          <select
            {...tied}
            name="decimal_sign"
            value={notation.decimal_sign}
            onChange={({ currentTarget: { value } }) =>
              choose({ ...notation, decimal_sign: value, group_sign: notation.group_sign === value ? null : notation.group_sign })
            }
          >
            {DECIMAL_SIGNS.map((sign) => (
              <option key={sign} value={sign}>
                {sign}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Labelled label={t('importGroups')}>
        {(tied) => (
          <select
            {...tied}
            name="group_sign"
            value={notation.group_sign ?? ''}
            onChange={({ currentTarget: { value } }) => choose({ ...notation, group_sign: value || null })}
          >
            <option value="">{t('importNoGroups')}</option>
            {GROUP_SIGNS.filter((sign) => sign !== notation.decimal_sign).map((sign) => (
              <option key={sign} value={sign}>
                {sign === ' ' ? t('importSpace') : sign}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Labelled label={t('importDays')}>
        {(tied) => (
          <select
            {...tied}
            name="day_order"
            value={notation.day_order ?? ''}
            onChange={({ currentTarget: { value } }) => choose({ ...notation, day_order: value || null })}
          >
            <option value="">{t('importDaysUnknown')}</option>
            {DAY_ORDERS.map((order) => (
              <option key={order} value={order}>
                {t(`importDays_${order}`)}
              </option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  )
}

function TemplateForm({ save, waits }: { save: (name: string) => void; waits: boolean }) {
  const name = useSignal('')
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault()
        if (!waits && name.value.trim()) save(name.value.trim())
      }}
    >
      <Labelled label={t('importTemplateName')} hint={t('importTemplateSays')}>
        {(tied) => (
          <input
            {...tied}
            type="text"
            name="template"
            maxLength={100}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        )}
      </Labelled>
      <button type="submit" aria-disabled={waits}>
        {t('importTemplateSave')}
      </button>
    </form>
  )
}

interface ColumnsProps {
  found: Found
  mapping: Record<string, string>
  map: (mapping: Record<string, string>) => void
  go: () => void
  waits: boolean
}

function ColumnsStep({ found: { headers, sample_rows, fields }, mapping, map, go: attempt, waits }: ColumnsProps) {
  const sampleOf = (header: string | undefined) => {
    const n = header === undefined ? -1 : headers.indexOf(header)
    return sample_rows
      .map((cells) => cells[n])
      .filter(Boolean)
      .slice(0, 3)
      .join(' · ')
  }
  const rank = ({ field, required }: Found['fields'][number]) => (required || field in mapping ? 0 : field === 'id' ? 2 : 1)
  const begun = useRef(fields.toSorted((a, b) => rank(a) - rank(b)))
  const used = new Set(Object.values(mapping))
  const unused = headers.filter((header) => !used.has(header))
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        attempt()
      }}
    >
      <p class="quiet">{t('importColumnsSays')}</p>
      {unused.length > 0 && <p>{t('importUnused', { columns: unused.join(', ') })}</p>}
      <div class="fields">
        {begun.current.map(({ field, title, required }) => (
          <Labelled key={field} label={title} required={required} hint={sampleOf(mapping[field]) || undefined}>
            {(tied) => (
              <select
                {...tied}
                name={field}
                value={mapping[field] ?? ''}
                onChange={(event) => {
                  const { [field]: _, ...others } = mapping
                  const { value } = event.currentTarget
                  map(value ? { ...others, [field]: value } : others)
                }}
              >
                <option value="">{t('importNot')}</option>
                {headers.map((header) => (
                  <option key={header} value={header}>
                    {header}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
        ))}
      </div>
      <div class="foot-bar">
        <button type="submit" class="primary" aria-disabled={waits}>
          {t('importTry')}
        </button>
      </div>
    </form>
  )
}

/** Returns the counters of any kind of import: `created_count` and `valid_rows`. */
const countsOf = (row: Row) =>
  Object.entries(row).flatMap(([name, value]) => {
    const [, what] =
      /^(created|imported|updated|skipped|duplicate|failed|valid|invalid|undone|kept)_(?:count|rows)$/.exec(name) ?? []
    return what && typeof value === 'number' ? [[what as Counted, value] as const] : []
  })
type Counted = 'created' | 'imported' | 'updated' | 'skipped' | 'duplicate' | 'failed' | 'valid' | 'invalid' | 'undone' | 'kept'

const Counts = ({ row }: { row: Row }) => (
  <dl class="facts">
    {countsOf(row)
      .filter(([what, count]) => count > 0 || what === 'created' || what === 'failed')
      .map(([what, count]) => (
        <div key={what}>
          <dt>{t(`count_${what}`)}</dt>
          <dd class="numbers">{counted.format(count)}</dd>
        </div>
      ))}
  </dl>
)

interface TrialProps {
  preview: Preview
  fields: Found['fields']
  back: () => void
  run: () => void
  options: { label: string; ask: () => void } | undefined
  waits: boolean
}

function TrialStep({ preview, fields, back, run, options, waits }: TrialProps) {
  const titles = new Map(fields.map(({ field, title }) => [field, title]))
  return (
    <>
      <p class="quiet">{t('importTrialSays')}</p>
      <Counts row={preview} />
      {preview.sample_errors.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
        <div class="table-wrap" role="region" aria-label={t('importErrors')} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('importRow')}</th>
                <th scope="col">{t('importErrors')}</th>
              </tr>
            </thead>
            <tbody>
              {preview.sample_errors.map(({ row, errors }) => (
                <tr key={row}>
                  <td class="numbers">{row}</td>
                  <td class="wraps">
                    {Object.entries(errors)
                      .map(([field, said]) => `${titles.get(field) ?? field}: ${said.join(' ')}`)
                      .join(' ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <SampleRecords records={preview.sample_records} titles={titles} />
      <div class="foot-bar">
        <button type="button" class="primary" aria-disabled={waits} onClick={run}>
          {t('importBegin', { count: counted.format(Number(preview.total_rows ?? 0)) })}
        </button>
        <button type="button" onClick={back}>
          {t('importColumns')}
        </button>
        {options && (
          <button type="button" onClick={options.ask}>
            {options.label}
          </button>
        )}
      </div>
    </>
  )
}

const shown = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** First records as they would be stored. */
function SampleRecords({ records, titles }: { records: Preview['sample_records']; titles: Map<string, string> }) {
  const fields = [...new Set(records.flatMap(({ values }) => Object.keys(values)))]
  if (!records.length) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
    <div class="table-wrap" role="region" aria-label={t('importSamples')} tabIndex={0}>
      <table>
        <caption>{t('importSamples')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('importRow')}</th>
            <th scope="col">{t('importBecomes')}</th>
            {fields.map((field) => (
              <th key={field} scope="col">
                {titles.get(field) ?? field}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map(({ row, action, values }) => (
            <tr key={row}>
              <td class="numbers">{row}</td>
              <td>{t(`count_${action}`)}</td>
              {fields.map((field) => (
                <td key={field}>{shown(values[field]).slice(0, 200)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Whether an import has ended, successfully or not. */
const hasEnded = (status: string | undefined) => status === 'completed' || status === 'failed'

/** Number of created and updated records. */
const broughtBy = (row: Row): number => (row.created_count ?? row.imported_count) + row.updated_count

/** Progress of an import or its undoing. */
const progressOf = (row: Row): [done: number, total: number] =>
  row.status === 'undoing' ? [row.undone_count + row.kept_count, broughtBy(row)] : [row.processed_rows, row.total_rows]

interface RunProps {
  screen: Screen
  row: Row
  one: string
  /** Undefined until the undo status is known. */
  undo: (() => void) | undefined
  anew: () => void
}

function RunStep({ screen, row, one, undo, anew }: RunProps) {
  const isRunning = RUNNING.has(row.status)
  const [done, total] = progressOf(row)
  const said: string = row.error ?? t(row.status === 'undone' ? 'importUndone' : 'importDone')
  const told = useRef(row.status)
  useEffect(() => {
    if (RUNNING.has(told.current) && !isRunning) tell(row.status === 'failed' ? t('wentWrong') : said)
    told.current = row.status
  }, [row.status])
  return (
    <>
      {isRunning ? (
        <p role="status">
          <label class="progress">
            {t('bulkRunning', { done: counted.format(done), total: counted.format(total) })}
            <progress max={total} value={done} />
          </label>
          <span class="quiet">{t('importLeave')}</span>
        </p>
      ) : (
        <p role="status">{said}</p>
      )}
      <Counts row={row} />
      {Array.isArray(row.kept) && row.kept.length > 0 && (
        <ul>
          {row.kept.map(({ id, message }: { id: number; message: string }) => (
            <li key={id}>
              #{id}: {message}
            </li>
          ))}
        </ul>
      )}
      {!isRunning && (
        <div class="foot-bar">
          <a class="button primary" href={listAddress(screen)}>
            {t('importSee', { title: screen.title })}
          </a>
          {row.failed_count > 0 && (
            <a class="button" href={fileAddress(`${one}/failed-records`)} download>
              <Icon name="download" />
              {t('importFailed')}
            </a>
          )}
          {undo && hasEnded(row.status) && (row.status === 'completed' || broughtBy(row) > 0) && (
            <button type="button" class="danger" onClick={undo}>
              {t('undo')}
            </button>
          )}
          <button type="button" onClick={anew}>
            {t('importAnew')}
          </button>
        </div>
      )}
    </>
  )
}
