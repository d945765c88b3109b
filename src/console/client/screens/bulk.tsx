/** One action done to many records of a list: chosen by hand, or all that match. It goes on when somebody leaves, and can be undone. */
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

/** What is chosen of a list: records by their id, with their titles, or all that match. */
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

/** What is being done, and what it could not be done to, by the screen. */
const running = signal<{ key: string; batch: Batch } | undefined>(undefined)
const failures = signal<{ key: string; batch: Batch; names: Map<number, string> } | undefined>(undefined)

const DONE = {
  update: 'bulkUpdated',
  assign: 'bulkAssigned',
  status: 'bulkUpdated',
  delete: 'bulkDeleted',
  restore: 'bulkRestored',
} as const

/** Begins the nth of several batches. The first says at once where it can't; what has begun goes on, whatever becomes of the connection. */
async function begin(n: number, path: string, body: object) {
  const { data } = n ? await postPatiently(path, body) : await call('post', path, { body })
  return data as Batch
}
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

/** Batches one after another, as the one action that they are to whoever did it. `total`: of those that haven't begun, too. */
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

/** Waits for the end of a batch, begins those that come after it, and says how all of them ended. */
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
    failure = error as Error // what was done before it is told, and can be undone
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

/** What the records are called that a batch was not done to. */
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

/** How many records the API takes by their ids at once. */
const AT_ONCE = 100

/** Everything: what the API takes as a filter that leaves nothing out. */
const ALL = { updated_since: '1970-01-01T00:00:00.000Z' }
const NO_FILTERS = new Set(['per_page', 'page', 'sort', 'direction'])

interface BarProps {
  screen: Screen
  query: Record<string, string>
  picked: Picked
  /** How many match, as it is said. */
  total: string
  isWhole: boolean
  pick: (picked: Picked) => void
}

/** What can be done with what is chosen. */
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

/** What isn't the same for many. */
const OF_ONE = new Set(['lines', 'file', 'object', 'json', 'secret'])

interface DialogProps {
  title: string
  fields: Field[]
  /** One field is chosen, and alone is sent. */
  isOne: boolean
  /** Of what leads them to another state: what is said of that. */
  lifecycle: Screen['lifecycle']
  send: (changes: object) => Promise<void>
  close: () => void
}

function BulkDialog({ title, fields, isOne, lifecycle, send, close }: DialogProps) {
  const usable = isOne ? fields.filter(({ kind, name }) => !OF_ONE.has(kind) && name !== 'external_id') : fields
  const chosen = useSignal('') // what is saved untouched empties nothing
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

/** How far it is, and what it could not be done to. */
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
