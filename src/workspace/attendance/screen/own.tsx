/** The user's own attendance: a button to check in and one to check out, and the records of the last two weeks. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { Answered } from '#console/client/parts/answered.tsx'
import { useAsking } from '#console/client/parts/asking-form.tsx'
import { Field, TextField } from '#console/client/parts/field.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { today } from '#console/client/screens/days.ts'
import type { Row } from '#console/client/screens/shape.ts'
import { BreakField } from './break-field.tsx'
import { between, dayText, departureText, durationText, hoursText, secondsOf, timeText, useClock } from './clock.ts'
import { StatusTag } from './status.tsx'
import { t } from './texts.ts'

const MODES = ['on_site', 'remote'] as const
type Mode = (typeof MODES)[number]
interface Reason {
  id: number
  kind: string
  name: string
  is_other: boolean
}

/** Stores the last choice on this device. */
const kept = (name: string) => localStorage.getItem(`atrium.attendance.${name}`)
const keep = (name: string, value: string) => localStorage.setItem(`atrium.attendance.${name}`, value)

const MAX_WAIT_MS = 15_000
const placeNow = () =>
  new Promise<{ latitude: number; longitude: number }>((found, failed) =>
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => found({ latitude, longitude }),
      () => failed(new Error(t('placeFailed'))),
      { timeout: MAX_WAIT_MS, maximumAge: 60_000 },
    ),
  )

/** Today's record of the user, with the buttons to check in and out. */
export function You() {
  const ofToday = useAnswer('/attendance-records/today')
  return (
    <Answered of={ofToday}>
      {({ data, meta }) => <Today record={meta.open_shift ?? data} facts={meta} isFromYesterday={!!meta.open_shift} />}
    </Answered>
  )
}

function Today({ record, facts, isFromYesterday }: { record: Row | null; facts: Row; isFromYesterday: boolean }) {
  const reasons = useAnswer('/me/attendance-reasons')
  const now = useClock()
  const mode = useSignal<Mode>(kept('mode') === 'remote' ? 'remote' : 'on_site')
  const place = useSignal(kept('place') === 'yes')
  const reason = useSignal('')
  const notes = useSignal('')
  const pause = useSignal('')
  const { failure, waits, ask } = useAsking()
  const id = useId()
  const isIn = !!record?.check_in && !record.check_out
  const isOver = !!record?.check_in && !!record.check_out
  const { start, grace_minutes } = facts.thresholds[mode.value]
  const isLate = !isIn && secondsOf(now) > secondsOf(start) + grace_minutes * 60
  const offered = ((reasons.answer?.data ?? []) as Reason[]).filter(({ kind }) => kind === (isIn ? 'check_out' : 'check_in_late'))
  const chosen = offered.find((one) => String(one.id) === reason.value)
  const isNeeded = isLate && facts.require_late_reason === true

  const act = ask(async () => {
    try {
      const body = {
        ...(isIn ? {} : { work_mode: mode.value }),
        ...(isIn && pause.value ? { break_minutes: Number(pause.value) } : {}),
        ...(chosen && (isIn || isLate) ? { reason_id: chosen.id, reason_notes: notes.value || null } : {}),
        ...(place.value ? await placeNow() : {}),
      }
      const { data } = await call('post', `/attendance-records/${isIn ? 'check-out' : 'check-in'}`, { body })
      tell(isIn ? t('checkedOut', { time: timeText(data.check_out) }) : t('checkedIn', { time: timeText(data.check_in) }))
      reason.value = ''
      notes.value = ''
      pause.value = ''
    } finally {
      changed()
    }
  })
  const { message, fields } = failure.value
  const elsewhere = Object.keys(fields).filter((name) => !['reason_id', 'reason_notes', 'break_minutes'].includes(name))
  const notice = [message, ...elsewhere.flatMap((name) => fields[name]!)].join(' ').trim()
  const why = offered.length > 0 && (
    <div class="attendance-why">
      <Field label={t('reason')} required={isNeeded} errors={fields.reason_id}>
        {(tied) => (
          <select {...tied} value={reason.value} onChange={(event) => (reason.value = event.currentTarget.value)}>
            <option value="">{t('noReason')}</option>
            {offered.map((one) => (
              <option key={one.id} value={String(one.id)}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {chosen && (
        <TextField
          label={t('reasonNotes')}
          required={chosen.is_other}
          maxLength={1000}
          value={notes.value}
          errors={fields.reason_notes}
          onInput={(event) => (notes.value = event.currentTarget.value)}
        />
      )}
    </div>
  )
  return (
    <section class="attendance-you" aria-labelledby={id}>
      <h2 id={id}>{t('you')}</h2>
      {isOver ? (
        <p class="attendance-now">
          <strong>{t('outAt', { time: timeText(record.check_out) })}</strong>
          <span class="quiet">
            {timeText(record.check_in)} – {departureText(record)} · {durationText(record.attended_minutes * 60)}
          </span>
        </p>
      ) : isIn ? (
        <p class="attendance-now">
          <strong>{durationText(between(record.check_in, now, isFromYesterday))}</strong>
          <span class="quiet">{t('inSince', { time: timeText(record.check_in) })}</span>
        </p>
      ) : (
        <p class="attendance-now">
          <strong>{timeText(now)}</strong>
          <span class="quiet">{t(record?.status === 'absent' ? 'absentToday' : 'notIn')}</span>
        </p>
      )}
      {record && (
        <p class="chips">
          <StatusTag status={record.status} />
          {record.work_mode && record.status !== record.work_mode && <span class="tag">{t(record.work_mode as Mode)}</span>}
        </p>
      )}
      {!isOver && (
        <form class="attendance-form" onSubmit={act} noValidate>
          <div role="alert">{notice && <p class="notice bad">{notice}</p>}</div>
          {!isIn && (
            <fieldset class="attendance-modes">
              <legend class="unseen">{t('workMode')}</legend>
              {MODES.map((one) => (
                <label key={one}>
                  <input
                    type="radio"
                    name="work_mode"
                    value={one}
                    checked={mode.value === one}
                    onChange={() => {
                      mode.value = one
                      keep('mode', one)
                    }}
                  />
                  <span>{t(one)}</span>
                </label>
              ))}
            </fieldset>
          )}
          {isLate && <p class="quiet">{t('lateSays', { start: timeText(start) })}</p>}
          {isLate && why}
          {isIn && <BreakField minutes={pause} errors={fields.break_minutes} />}
          {isIn && why && (
            <details>
              <summary>{t('leaveReason')}</summary>
              {why}
            </details>
          )}
          {'geolocation' in navigator && (
            <label class="check attendance-place">
              <input
                type="checkbox"
                checked={place.value}
                aria-describedby={`${id}-place`}
                onChange={(event) => {
                  place.value = event.currentTarget.checked
                  keep('place', place.value ? 'yes' : 'no')
                }}
              />
              <span>{t('place')}</span>
            </label>
          )}
          {place.value && (
            <p class="hint" id={`${id}-place`}>
              {t('placeSays')}
            </p>
          )}
          <button type="submit" class="primary wide attendance-act" aria-disabled={waits.value}>
            {t(isIn ? 'checkOut' : 'checkIn')}
          </button>
        </form>
      )}
    </section>
  )
}

/** Recent records of the user. */
export function Recent({ records }: { records: Row[] }) {
  const id = useId()
  const now = useClock()
  const sum = records.reduce((total, record) => total + (record.attended_minutes ?? 0), 0)
  return (
    <section class="attendance-recent" aria-labelledby={id}>
      <h2 id={id}>{t('recent')}</h2>
      {records.length === 0 ? (
        <p class="quiet">{t('recentNone')}</p>
      ) : (
        <div class="table-wrap">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('day')}</th>
                <th scope="col" class="numbers">
                  {t('came')}
                </th>
                <th scope="col" class="numbers">
                  {t('left')}
                </th>
                <th scope="col" class="numbers">
                  {t('time')}
                </th>
                <th scope="col">{t('state')}</th>
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <tr key={record.id}>
                  <th scope="row">{dayText(record.date)}</th>
                  <td class="numbers">{record.check_in && timeText(record.check_in)}</td>
                  <td class="numbers">{record.check_out && departureText(record)}</td>
                  <td class="numbers">
                    {record.check_in &&
                      (record.check_out
                        ? hoursText(record.attended_minutes * 60)
                        : record.date === today()
                          ? hoursText(between(record.check_in, now))
                          : t('openEnd'))}
                  </td>
                  <td>
                    <StatusTag status={record.status} />
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={3}>
                  {t('sum')}
                </th>
                <td class="numbers">{hoursText(sum * 60)}</td>
                <td />
              </tr>
            </tfoot>
          </table>
        </div>
      )}
    </section>
  )
}
