/** Bulk actions on selected records of a list, or on all that match. They continue when the user leaves, and can be undone. */
import { signal, useSignal } from '@preact/signals'
import { ApiError, call } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { tell } from '../parts/toasts.tsx'
import { explained, sentence } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { changed } from './data.ts'
import { initialOf, sentOf, type Values } from './form-values.ts'
import { FormFields } from './inputs.tsx'
import { patiently, pause, postPatiently } from './polling.ts'
import { unsettled } from './reference-input.tsx'
import { type Field, type Form, may, type Row, type Screen, titleOf } from './shape.ts'
import { counted } from './values.tsx'

type BulkAction = 'update' | 'assign' | 'status' | 'delete' | 'restore'

/** Selection in a list: records by id with their titles, or all that match. */
export interface Picked {
  rows: Map<number, string>
  all: boolean
}
export const nonePicked: Picked = { rows: new Map(), all: false }

interface Batch {
  batch_id: string
  action: BulkAction
  state: 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled'
  total: number | null
  processed: number
  failed: { id: number; message: string }[]
  failed_count: number
  undone_at: string | null
  error: string | null
}

/** Running batch and failures, by screen. */
const running = signal<{ key: string; batch: Batch } | undefined>(undefined)
const failures = signal<{ key: string; batch: Batch; names: Map<number, string> } | undefined>(undefined)

const DONE = {
  update: 'bulkUpdated',
  assign: 'bulkAssigned',
  status: 'bulkUpdated',
  delete: 'bulkDeleted',
  restore: 'bulkRestored',
} as const

/**
 * Starts the nth of several batches. An error of the first is reported at once; later ones are retried despite connection
 * failures.
 */
async function begin(n: number, path: string, body: object) {
  const { data } = n ? await postPatiently(path, body) : await call('post', path, { body })
  return data as Batch
}
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

/** Merges batches to the single action that the user started. `total` includes batches not started yet. */
function joined(batches: Batch[], total: number | null): Batch {
  return {
    ...batches.at(-1)!,
    total,
    processed: sum(batches.map(({ processed }) => processed)),
    failed: batches.flatMap(({ failed }) => failed),
    failed_count: sum(batches.map(({ failed_count }) => failed_count)),
    error: batches.find(({ error }) => error)?.error ?? null,
  }
}

/** Waits for a batch, starts the following ones, and reports the result of all. */
async function follow(
  screen: Screen,
  begun: Batch,
  more: (() => Promise<Batch>)[],
  total: number | null,
  names: Map<number, string>,
) {
  const ended: Batch[] = []
  let batch = begun
  let failure: Error | undefined
  try {
    for (let n = 0; ; n++) {
      while (batch.state === 'waiting' || batch.state === 'running') {
        running.value = { key: screen.key, batch: joined([...ended, batch], total ?? batch.total) }
        await pause()
        const { batch_id } = batch
        batch = (await patiently(() => call('get', `/bulk/${batch_id}`))).data as Batch
      }
      ended.push(batch)
      const next = more[n]
      if (!next) break
      running.value = { key: screen.key, batch: joined(ended, total) }
      batch = await next()
    }
  } catch (error) {
    failure = error as Error // earlier batches are reported and can be undone
  }
  running.value = undefined
  changed()
  if (!ended.length) throw failure!
  const whole = joined(ended, total)
  const undo = () => {
    const [first, ...others] = ended
      .filter(({ processed }) => processed)
      .toReversed()
      .map(
        ({ batch_id }, n) =>
          () =>
            begin(n, `/bulk/${batch_id}/undo`, {}),
      )
    const undone = others.length ? whole.processed : null
    void first!()
      .then((batch) => follow(screen, batch, others, undone, names))
      .catch((error) => tell(error.message))
  }
  const said = t(whole.undone_at ? 'bulkUndone' : DONE[whole.action], { count: counted.format(whole.processed) })
  const wrong = whole.error ?? failure?.message
  tell(
    wrong ? (whole.processed && failure ? `${said} ${wrong}` : wrong) : said,
    whole.undone_at || !whole.processed ? undefined : { label: t('undo'), run: undo },
  )
  failures.value = whole.failed_count
    ? { key: screen.key, batch: whole, names: await named(screen, whole.failed, names) }
    : undefined
}

/** Returns the titles of records that a batch failed on. */
async function named({ path, ...screen }: Screen, failed: Batch['failed'], names: Map<number, string>) {
  const strange = failed.map(({ id }) => id).filter((id) => !names.has(id))
  if (!strange.length) return names
  const query = { ids: strange.join(','), per_page: '100' }
  const found = await call('get', path, { params: { query } }).then(
    ({ data }) => data as Row[],
    () => [],
  )
  return new Map([...names, ...found.map((row) => [row.id as number, titleOf(screen, row)] as const)])
}

/** Maximum number of ids in one request. */
const AT_ONCE = 100

/** A filter that matches every record, because the API requires one. */
const ALL = { updated_since: '1970-01-01T00:00:00.000Z' }
const NO_FILTERS = new Set(['per_page', 'page', 'sort', 'direction'])

interface BarProps {
  screen: Screen
  query: Record<string, string>
  picked: Picked
  /** Formatted number of matching records. */
  total: string
  isWhole: boolean
  pick: (picked: Picked) => void
}

/** Toolbar with the actions on the selection. */
export function BulkBar({ screen, query, picked, total, isWhole, pick }: BarProps) {
  const asked = useSignal<BulkAction | undefined>(undefined)
  const isTrash = query.trashed === 'only'
  const ofOne = (verb: string) => screen.actions.find(({ path }) => path.endsWith(`}/${verb}`))
  const allowed = (form: Form | null | undefined) => (form && may(form.allow) ? form : undefined)
  const forms: Partial<Record<BulkAction, Form | undefined>> = isTrash
    ? { restore: allowed(screen.restore) }
    : {
        assign: allowed(ofOne('assign')),
        status: allowed(ofOne('status')),
        update: allowed(screen.edit),
        delete: screen.restore ? allowed(screen.remove) : undefined,
      }
  const filters = Object.entries(query).filter(([name, value]) => !NO_FILTERS.has(name) && value !== '')
  const run = async (action: BulkAction, changes: object = {}) => {
    const names = picked.rows
    const ids = [...names.keys()]
    const parts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, n) => ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE))
    const which = picked.all
      ? [{ filter: filters.length ? Object.fromEntries(filters) : ALL }]
      : parts.map((some) => ({ ids: some }))
    const [first, ...more] = which.map((one, n) => () => begin(n, screen.bulk!.path, { ...one, action, changes }))
    const batch = await first!()
    pick(nonePicked)
    failures.value = undefined
    void follow(screen, batch, more, more.length ? ids.length : null, names).catch((error) => tell(error.message))
  }
  const count = picked.all ? total : counted.format(picked.rows.size)
  const labels = { assign: t('assign'), status: t('changeStatus'), update: t('edit'), delete: t('delete'), restore: t('restore') }
  return (
    <div class="chosen-bar" role="region" aria-label={t('selection')}>
      <span role="status">{t('chosen', { count })}</span>
      {!picked.all && !isWhole && (
        <button type="button" class="plain" onClick={() => pick({ ...picked, all: true })}>
          {t('selectMatching', { count: total })}
        </button>
      )}
      {Object.entries(forms).map(
        ([action, form]) =>
          form && (
            <button
              key={action}
              type="button"
              class={action === 'delete' ? 'danger' : undefined}
              onClick={() => {
                if (action === 'delete' || action === 'restore') void run(action).catch((error) => tell(error.message))
                else asked.value = action as BulkAction
              }}
            >
              {labels[action as BulkAction]}
            </button>
          ),
      )}
      <button type="button" class="plain" onClick={() => pick(nonePicked)}>
        {t('clear')}
      </button>
      {asked.value && (
        <BulkDialog
          title={`${labels[asked.value]}: ${t('chosen', { count })}`}
          fields={forms[asked.value]!.fields}
          isOne={asked.value === 'update'}
          lifecycle={asked.value === 'status' ? screen.lifecycle : null}
          send={(changes) => run(asked.value!, changes)}
          close={() => (asked.value = undefined)}
        />
      )}
    </div>
  )
}

/** Field kinds that can't be the same for many records. */
const OF_ONE = new Set(['lines', 'file', 'object', 'json', 'secret'])

interface DialogProps {
  title: string
  fields: Field[]
  /** The user chooses one field, and only that is sent. */
  isOne: boolean
  /** Of a status change: describes that. */
  lifecycle: Screen['lifecycle']
  send: (changes: object) => Promise<void>
  close: () => void
}

function BulkDialog({ title, fields, isOne, lifecycle, send, close }: DialogProps) {
  const usable = isOne ? fields.filter(({ kind, name }) => !OF_ONE.has(kind) && name !== 'external_id') : fields
  const chosen = useSignal('') // an untouched dialog must not empty a field
  const values = useSignal<Values>(isOne ? {} : initialOf(fields, undefined))
  const errors = useSignal<Record<string, readonly string[]>>({})
  const failed = useSignal('')
  const waits = useSignal(false)
  const said = lifecycle?.moves.find(({ to }) => to === values.value[lifecycle.field])?.description
  const asked = isOne ? usable.filter(({ name }) => name === chosen.value) : usable
  const submit = async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    waits.value = true
    try {
      const open = await unsettled()
      if (open) return void (failed.value = open)
      const changes = sentOf(asked, values.value, isOne ? new Set([chosen.value]) : undefined)
      if (!Object.keys(changes).length) return void (failed.value = t('bulkNothing'))
      await send(changes)
      close()
    } catch (error) {
      const told = error instanceof ApiError ? Object.entries(error.fields) : []
      errors.value = Object.fromEntries(told.map(([name, said]) => [name.replace(/^changes\./, ''), said]))
      failed.value = (error as Error).message
    } finally {
      waits.value = false
    }
  }
  return (
    <Dialog title={title} close={close}>
      <form class="dialog-body" onSubmit={submit} noValidate>
        <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
        {isOne && (
          <label class="field">
            <span class="label">{t('field')}</span>
            <select value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              <option value="">{t('bulkChoose')}</option>
              {usable.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        <FormFields fields={asked} values={values} errors={errors.value} />
        {said && <p class="quiet">{explained(said)}</p>}
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Progress and failures of a bulk action. */
export function BulkReport({ screen }: { screen: Screen }) {
  const now = running.value?.key === screen.key ? running.value.batch : undefined
  const failed = failures.value?.key === screen.key ? failures.value : undefined
  return (
    <>
      {now && (
        <p class="chosen-bar">
          <label class="progress">
            {t('bulkRunning', {
              done: counted.format(now.processed + now.failed_count),
              total: now.total === null ? '…' : counted.format(now.total),
            })}
            <progress max={now.total ?? undefined} value={now.total === null ? undefined : now.processed + now.failed_count} />
          </label>
        </p>
      )}
      {failed && (
        <div class="notice bad failures" role="alert">
          <div class="line">
            <strong>{t('bulkFailed', { count: counted.format(failed.batch.failed_count) })}</strong>
            <button type="button" class="plain only-icon" aria-label={t('close')} onClick={() => (failures.value = undefined)}>
              <Icon name="close" />
            </button>
          </div>
          <ul>
            {failed.batch.failed.map(({ id, message }) => (
              <li key={id}>
                {failed.names.get(id) ?? `#${id}`}: {sentence(message)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
