/** Dialog for planning, rescheduling and completing a lead's follow-up, with its outcome and the next one. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { type Failure, failureOf } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Field, TextField } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed } from '#console/client/screens/data.ts'
import { later, today } from '#console/client/screens/days.ts'
import type { Row } from '#console/client/screens/shape.ts'
import { textFor } from '#console/client/screens/values.tsx'
import { t } from './texts.ts'

export type FollowUpAction = 'plan' | 'finish' | 'postpone'

/** A time without a zone is in the workspace's time zone. */
const MORNING = '09:00'
const CHOICES = { tomorrow: 1, inThreeDays: 3, inAWeek: 7 } as const
type Choice = keyof typeof CHOICES | 'none' | 'otherTime'

/** Due time, highlighted where it has passed while the lead is open. */
export function FollowUpDue({ lead, at }: { lead: Row; at: string }) {
  const late = Date.parse(at) < Date.now() && !['closed', 'archived'].includes(lead.status)
  return (
    <span class={late ? 'due late' : 'due'}>
      <Icon name="calendar" />
      <time dateTime={at}>{textFor({ name: 'due_at', label: '', kind: 'instant' }, at, {})}</time>
      {late && <span class="unseen">{t('overdue')}</span>}
    </span>
  )
}

/** Dialog with the inputs of an action on a lead's next follow-up. */
export function FollowUpDialog({ lead, action, close }: { lead: Row; action: FollowUpAction; close: () => void }) {
  const now: Row | null = lead.next_follow_up
  const note = useSignal('')
  const title = useSignal<string>(action === 'finish' ? (now?.title ?? t('call')) : t('call'))
  const choice = useSignal<Choice>(action === 'finish' ? 'none' : 'tomorrow')
  const own = useSignal(`${later(today(), 1)}T${MORNING}`)
  const failure = useSignal<Failure>({ message: '', fields: {} })
  const waits = useSignal(false)
  const group = useId()
  const due_at = () =>
    choice.value === 'otherTime' ? own.value : `${later(today(), CHOICES[choice.value as keyof typeof CHOICES])}T${MORNING}`
  const send = async () => {
    const path = `/leads/${lead.id}/follow-ups`
    if (action === 'postpone') return call('put', `${path}/${now!.id}`, { body: { due_at: due_at() } })
    const planned = { title: title.value, due_at: choice.value === 'none' ? '' : due_at() }
    if (action === 'plan')
      return call('post', path, { body: { ...planned, ...(note.value.trim() ? { notes: note.value } : {}) } })
    const body = {
      ...(note.value.trim() ? { note: note.value } : {}),
      ...(choice.value === 'none' ? {} : { next: planned }),
    }
    return call('post', `${path}/${now!.id}/complete`, { body })
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    waits.value = true
    try {
      await send()
      tell(t(action === 'plan' ? 'planned' : action === 'finish' ? 'finished' : 'moved'))
      close()
      changed()
    } catch (error) {
      const { message, fields } = failureOf(error)
      const known = Object.fromEntries(Object.entries(fields).map(([name, said]) => [name.replace(/^next\./, ''), said]))
      const others = Object.entries(known).flatMap(([name, said]) => (SHOWN.has(name) ? [] : said))
      failure.value = { message: [message, ...others].filter(Boolean).join(' '), fields: known }
    } finally {
      waits.value = false
    }
  }
  const errors = failure.value.fields
  const choices: Choice[] = [
    ...(action === 'finish' ? (['none'] as const) : []),
    ...(Object.keys(CHOICES) as Choice[]),
    ...(['otherTime'] as const),
  ]
  return (
    <Dialog title={t(action === 'postpone' ? 'postpone' : action)} close={close}>
      <form class="dialog-body" onSubmit={submit} noValidate>
        <div role="alert">{failure.value.message && <p class="notice bad">{failure.value.message}</p>}</div>
        <p class="quiet">
          {lead.name}
          {action !== 'plan' && now ? ` · ${now.title}` : ''}
        </p>
        {action === 'finish' && <Said label={t('came')} hint={t('cameSays')} errors={errors.note} note={note} />}
        <fieldset>
          <legend>{t(action === 'finish' ? 'next' : 'when')}</legend>
          <div class="leads-when">
            {choices.map((one) => (
              <label class="check" key={one}>
                <input
                  type="radio"
                  name={group}
                  checked={choice.value === one}
                  onChange={() => {
                    choice.value = one
                  }}
                />
                <span>{t(one)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        {choice.value === 'otherTime' && (
          <TextField
            label={t('dueAt')}
            type="datetime-local"
            required
            errors={errors.due_at}
            value={own.value}
            onInput={(event: { currentTarget: HTMLInputElement }) => {
              own.value = event.currentTarget.value
            }}
          />
        )}
        {action !== 'postpone' && choice.value !== 'none' && (
          <TextField
            label={t('what')}
            required
            maxLength={255}
            errors={errors.title}
            value={title.value}
            onInput={(event: { currentTarget: HTMLInputElement }) => {
              title.value = event.currentTarget.value
            }}
          />
        )}
        {action === 'plan' && <Said label={t('notes')} errors={errors.notes} note={note} />}
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t(action === 'finish' ? 'done' : 'save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Fields that show their own errors. */
const SHOWN = new Set(['title', 'due_at', 'note', 'notes'])

const Said = ({
  label,
  hint,
  errors,
  note,
}: {
  label: string
  hint?: string
  errors: readonly string[] | undefined
  note: { value: string }
}) => (
  <Field label={label} hint={hint} errors={errors}>
    {(tied) => (
      <textarea
        {...tied}
        rows={3}
        value={note.value}
        onInput={(event) => {
          note.value = event.currentTarget.value
        }}
      />
    )}
  </Field>
)
