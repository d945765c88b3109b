/** Actions on a record: one definition for all buttons and menus, with the reason where one is unavailable. */
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
  /** Fields start with the row's values, and only changed ones are sent. */
  isEdit?: true
  /** Body of an action without input. */
  body?: Row
  /** Sent in addition to the input. */
  also?: Row
  /** The dialog describes the effect before it is done. */
  isTold?: boolean
  /** Body for the same address that undoes it. */
  back?: Row | undefined
}

/** Runs an action and returns the API's message. Opens the record that it creates, if any. */
export async function acting({ action, on, row, body: set, also }: Asked, typed?: Record<string, unknown>): Promise<string> {
  const body = set ?? (also ? { ...typed, ...also } : typed)
  const options = action.method === 'DELETE' && !body ? {} : { body: body ?? {} }
  const { data, message } = await call(methodOf(action), filled(action.path, on), options)
  const made = 'makes' in action ? summaryOf(action.makes) : undefined
  const key = made && data?.[made.key_field]
  // Redirect of the console's server to a workspace, at the start of impersonation.
  if (/^\/w\/[a-z0-9-]+\/$/.test(data?.to)) location.assign(data.to)
  else if (made?.has_record && key !== undefined) go(recordAddress(made, key))
  else showOnce(data, row ? Object.keys(row).map((name) => ({ name })) : [])
  return message ?? t('done')
}

/** Returns whether an action runs without a dialog: it has no input, such as a reason, and isn't dangerous. */
export const isPlain = ({ action, body, isTold }: Asked) =>
  !isTold && (body !== undefined || !action.fields.length) && !action.is_danger

/** An entry in the reply of `GET /:id/actions`. */
interface Judged {
  key: string
  allowed: boolean
  reason: { message: string } | null
  choices: { value: string; allowed: boolean; reason: { message: string } | null }[] | null
}

const reasonOf = ({ reason }: Pick<Judged, 'reason'>) => (reason === null ? undefined : sentence(reason.message))

/** An entry in a record's menu: an action, or a status change without an action of its own. */
export interface Deed {
  key: string
  label: string
  asked: Asked
  /** Reason why it is unavailable. */
  why: string | undefined
  /** It changes the record's status. */
  isStep: boolean
  isOnward: boolean
}

const lastOf = ({ path }: { path: string }) => path.slice(path.lastIndexOf('/') + 1).replaceAll('-', '_')
const words = (name: string) => named(worded(name))

/** Returns all actions on a record except editing and deleting, with reasons where unavailable. */
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

/** Actions that create a follow-up record at the end of a record's life cycle. */
const MAKES = /^(convert|invoice|expense|employee)$/
/** Maximum number of buttons next to a record's title. */
const SHOWN = 3
/**
 * Returns the actions shown as buttons: onward status changes first, then other possible ones; at the end of the life cycle, the
 * one that creates a follow-up record. Changes that the record's status forbids appear in the menu only, with the reason; those
 * without permission also appear here.
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

/** Returns why an action is unavailable; undefined where it is available. */
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

/**
 * Dialog with an action's fields, or with a confirmation where it can't be undone. `done` without a message: it was cancelled.
 */
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

/** Dialog of the pending action; afterwards shows a toast and refetches everything. */
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
