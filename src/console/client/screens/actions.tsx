/** What can be done with a record: each action is one thing, whichever button or menu it is called from, and says why where it can't. */
import { useSignal } from '@preact/signals'
import { ApiError, call } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { showOnce } from '../parts/once.tsx'
import { t } from '../texts/texts.ts'
import { FormFields, initialOf, sentOf } from './inputs.tsx'
import { type Action, type Form, filled, lacking, type Row, type Screen } from './shape.ts'

export interface Asked {
  action: Action | (Form & { label: string; description?: string; is_danger?: true })
  /** The record's key. */
  on?: unknown
  row?: Row | undefined
}

const METHODS = { POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

/** Does an action, and gives what the API says of it. */
export async function acting({ action, on, row }: Asked, body?: Record<string, unknown>): Promise<string> {
  const options = action.method === 'DELETE' && !body ? {} : { body: body ?? {} }
  const { data, message } = await call(METHODS[action.method], filled(action.path, on), options)
  // The console's server says so where an action begins to work in a workspace as somebody else.
  if (/^\/w\/[a-z0-9-]+\/$/.test(data?.to)) location.assign(data.to)
  else showOnce(data, row ? Object.keys(row).map((name) => ({ name })) : [])
  return message || t('done')
}

/** Whether an action does something at once, without being asked for anything. */
export const isPlain = ({ action }: Asked) =>
  !action.fields.some(({ is_required }) => is_required) && !('is_danger' in action && action.is_danger)

/** Why an action can't be done now; undefined where it can. */
export function whyNot(
  screen: Screen,
  action: Action,
  row: Row,
  told: { key: string; allowed: boolean; reason: { message: string } | null }[] | undefined,
): string | undefined {
  const missing = lacking(action.allow)
  if (missing.length) return t('needs', { permission: missing.join(', ') })
  const known = told?.find(({ key }) => key === action.key)
  if (known) return known.reason?.message
  const { lifecycle } = screen
  const verb = action.path.split('/').at(-1)
  const moves = lifecycle?.moves.filter(({ name }) => name === verb) ?? []
  const state = lifecycle && String(row[lifecycle.field])
  if (!state || !moves.length || moves.some(({ from }) => from.includes(state))) return undefined
  const field = screen.record?.fields.find(({ name }) => name === lifecycle.field)
  return t('notNow', { state: field?.options?.find(({ value }) => value === state)?.label ?? state })
}

/** Asks what an action needs: its fields, or, where nothing brings back what it does, whether it is meant. `done` without a message: it was left. */
export function ActionDialog({ asked, done }: { asked: Asked; done: (message?: string) => void }) {
  const { action, row } = asked
  const values = useSignal<Record<string, unknown>>(initialOf(action.fields, undefined))
  const errors = useSignal<Record<string, readonly string[]>>({})
  const failed = useSignal('')
  const waits = useSignal(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    waits.value = true
    try {
      done(
        await acting(
          asked,
          action.method === 'DELETE' && !action.fields.length ? undefined : sentOf(action.fields, values.value),
        ),
      )
    } catch (error) {
      errors.value = error instanceof ApiError ? error.fields : {}
      failed.value = (error as Error).message
    } finally {
      waits.value = false
    }
  }
  return (
    <Dialog title={action.label} close={() => done()}>
      <form class="dialog-body" onSubmit={submit} noValidate>
        <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
        {action.description && <p class="quiet">{action.description}</p>}
        {action.fields.length > 0 && <FormFields fields={action.fields} values={values} errors={errors.value} row={row} />}
        <div class="dialog-foot">
          <button type="button" onClick={() => done()}>
            {t('cancel')}
          </button>
          <button
            type="submit"
            class={'is_danger' in action && action.is_danger ? 'danger' : 'primary'}
            aria-disabled={waits.value}
          >
            {action.label}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
