/** What can be done with a record: each action is one thing, whichever button or menu it is called from, and says why where it can't. */
import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { go } from '../addresses.ts'
import { ApiError, call } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { showOnce } from '../parts/once.tsx'
import { tell } from '../parts/toasts.tsx'
import { explained, named, needs, sentence, worded } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { changed } from './data.ts'
import { initialOf, sentOf } from './form-values.ts'
import { FormFields } from './inputs.tsx'
import { unsettled } from './reference-input.tsx'
import { type Action, type Form, filled, lacking, methodOf, type Row, recordAddress, type Screen, summaryOf } from './shape.ts'
import { tone } from './values.tsx'

export interface Asked {
  action: Action | (Form & { label: string; description?: string; is_danger?: true })
  /** The record's key. */
  on?: unknown
  row?: Row | undefined
  /** Its fields begin with what the row has, and what of it is changed is sent. */
  isEdit?: true
  /** What is sent, where nothing is asked. */
  body?: Row
  /** What is sent beside what is asked. */
  also?: Row
  /** What it does is told before it is done. */
  isTold?: boolean
  /** What is sent to the same address to take it back. */
  back?: Row | undefined
}

/** Does an action, and gives what the API says of it. Where it makes another record, that is shown. */
export async function acting({ action, on, row, body: set, also }: Asked, typed?: Record<string, unknown>): Promise<string> {
  const body = set ?? (also ? { ...typed, ...also } : typed)
  const options = action.method === 'DELETE' && !body ? {} : { body: body ?? {} }
  const { data, message } = await call(methodOf(action), filled(action.path, on), options)
  const made = 'makes' in action ? summaryOf(action.makes) : undefined
  const key = made && data?.[made.key_field]
  // The console's server says so where an action begins to work in a workspace as somebody else.
  if (/^\/w\/[a-z0-9-]+\/$/.test(data?.to)) location.assign(data.to)
  else if (made?.has_record && key !== undefined) go(recordAddress(made, key))
  else showOnce(data, row ? Object.keys(row).map((name) => ({ name })) : [])
  return message ?? t('done')
}

/** Whether an action does something at once: it takes nothing that somebody might want to say, such as a reason. */
export const isPlain = ({ action, body, isTold }: Asked) =>
  !isTold && (body !== undefined || !action.fields.length) && !action.is_danger

/** What `GET /:id/actions` tells. */
interface Judged {
  key: string
  allowed: boolean
  reason: { message: string } | null
  choices: { value: string; allowed: boolean; reason: { message: string } | null }[] | null
}

const reasonOf = ({ reason }: Pick<Judged, 'reason'>) => (reason === null ? undefined : sentence(reason.message))

/** What somebody may do with a record: an action, or a change of its state that has no action of its own. */
export interface Deed {
  key: string
  label: string
  asked: Asked
  /** Why it can't be done now. */
  why: string | undefined
  /** It leads the record on from where it stands. */
  isStep: boolean
  isOnward: boolean
}

const lastOf = ({ path }: { path: string }) => path.slice(path.lastIndexOf('/') + 1).replaceAll('-', '_')
const words = (name: string) => named(worded(name))

/** All that can be done with a record beyond changing and deleting it, and what of it can't be done now. */
export function deedsOf(screen: Screen, row: Row, told: Judged[] | undefined): Deed[] {
  const on = row[screen.key_field]
  const moves = screen.lifecycle?.moves ?? []
  const field = screen.record?.fields.find(({ name }) => name === screen.lifecycle?.field)
  const state = screen.lifecycle ? String(row[screen.lifecycle.field]) : ''
  const order = (field?.options ?? []).map(({ value }) => value)
  const onward = (to: string | undefined) => to !== undefined && tone(to) !== 'bad' && order.indexOf(to) > order.indexOf(state)
  const moved = (name: string) => moves.find((move) => move.name === name && move.from.includes(state))
  const own = screen.actions.map((action): Deed => {
    const move = moved(lastOf(action))
    const why = whyNot(screen, action, row, told)
    return {
      ...{ key: action.key, label: action.label, asked: { action, on, row }, why },
      isStep: !!move,
      isOnward: onward(move?.to),
    }
  })
  const change = screen.actions.find((action) => lastOf(action) === 'status')
  const named = new Set(screen.actions.map(lastOf))
  const others = moves
    .filter(({ name, from }) => change && from.includes(state) && !named.has(name))
    .map(({ name, label = words(name), to, description }): Deed => {
      const judged = told?.find(({ key }) => key === change!.key)?.choices?.find(({ value }) => value === to)
      const leadsBack = moves.some((back) => back.from.includes(to) && back.to === state)
      const action = {
        ...change!,
        fields: [],
        label,
        ...(description ? { description } : {}),
        ...(leadsBack || tone(to) !== 'bad' ? {} : { is_danger: true as const }),
      }
      return {
        ...{ key: `${change!.key} ${name}`, label, isStep: true, isOnward: onward(to) },
        asked: {
          action,
          on,
          row,
          body: { status: to },
          isTold: description !== undefined,
          ...(leadsBack ? { back: { status: state } } : {}),
        },
        why: judged ? reasonOf(judged) : whyNot(screen, change!, row, undefined),
      }
    })
  return [...others, ...own]
}

/** What is made of a record once it has come to its end. */
const MAKES = /^(convert|invoice|expense|employee)$/
/** How many deeds stand beside a record's title. */
const SHOWN = 3
/**
 * The deeds that are seen at once: how it goes on first, then what else its state allows; where it has come to its end, what is made of it. A change of state
 * that the record doesn't allow now is in the menu, which says why; one that whoever looks may not make is named here.
 */
export function mainDeeds(deeds: Deed[]): Deed[] {
  const isNow = ({ why, asked }: Deed) => !why || !asked.body || lacking(asked.action.allow).length > 0
  const steps = deeds.filter((deed) => deed.isStep && isNow(deed))
  const isDanger = ({ asked }: Deed) => Number(asked.action.is_danger === true)
  const shown = steps.toSorted((a, b) => Number(b.isOnward) - Number(a.isOnward) || isDanger(a) - isDanger(b)).slice(0, SHOWN)
  if (shown.some(({ isOnward }) => isOnward)) return shown
  const next = deeds.find(({ why, asked, isStep }) => !isStep && !why && MAKES.test(lastOf(asked.action)))
  return [...(next ? [next] : []), ...shown].slice(0, SHOWN)
}

/** Why an action can't be done now; undefined where it can. */
function whyNot(screen: Screen, action: Action, row: Row, told: Judged[] | undefined): string | undefined {
  const missing = lacking(action.allow)
  if (missing.length) return needs(missing)
  const known = told?.find(({ key }) => key === action.key)
  if (known) return reasonOf(known)
  const { lifecycle } = screen
  const verb = lastOf(action)
  const moves = lifecycle?.moves.filter(({ name }) => name === verb) ?? []
  const state = lifecycle && String(row[lifecycle.field])
  if (!state || !moves.length || moves.some(({ from }) => from.includes(state))) return undefined
  const field = screen.record?.fields.find(({ name }) => name === lifecycle.field)
  return t('notNow', { state: field?.options?.find(({ value }) => value === state)?.label ?? state })
}

/** Asks what an action needs: its fields, or, where nothing brings back what it does, whether it is meant. `done` without a message: it was left. */
export function ActionDialog({ asked, done }: { asked: Asked; done: (message?: string) => void }) {
  const { action, row } = asked
  const values = useSignal<Record<string, unknown>>(initialOf(action.fields, asked.isEdit ? row : undefined))
  const errors = useSignal<Record<string, readonly string[]>>({})
  const failed = useSignal('')
  const waits = useSignal(false)
  const touched = useRef(new Set<string>())
  const submit = async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    waits.value = true
    try {
      const open = await unsettled()
      if (open) return void (failed.value = open)
      const typed = sentOf(action.fields, values.value, asked.isEdit && touched.current)
      done(await acting(asked, action.method === 'DELETE' && !action.fields.length ? undefined : typed))
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
        {action.description && <p class="quiet">{explained(action.description)}</p>}
        {action.fields.length > 0 && (
          <FormFields
            fields={action.fields}
            values={values}
            errors={errors.value}
            row={row}
            touch={(name) => touched.current.add(name)}
          />
        )}
        <div class="dialog-foot">
          <button type="button" onClick={() => done()}>
            {t('cancel')}
          </button>
          <button type="submit" class={action.is_danger ? 'danger' : 'primary'} aria-disabled={waits.value}>
            {action.label}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** The dialog of whatever is asked, if something is: what became of it is told, and everything that is shown is read anew. */
export function AskedDialog({ asked }: { asked: Signal<Asked | undefined> }) {
  if (!asked.value) return null
  const done = (message?: string) => {
    asked.value = undefined
    if (!message) return
    tell(message)
    changed()
  }
  return <ActionDialog asked={asked.value} done={done} />
}
