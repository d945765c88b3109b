/** The manager's view of a day: who is in, who isn't, where, and records to correct. */
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { at } from '#console/client/addresses.ts'
import { call } from '#console/client/api.ts'
import { Answered, Empty } from '#console/client/parts/answered.tsx'
import { useAsking } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Field, TextField } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Paging } from '#console/client/parts/paging.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { later, today } from '#console/client/screens/days.ts'
import { refine } from '#console/client/screens/list-query.ts'
import { may, recordAddress, summaryOf } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { t as common } from '#console/client/texts/texts.ts'
import { BreakField } from './break-field.tsx'
import { between, departureText, hoursText, timeText, useClock, wholeDayText } from './clock.ts'
import { StatusTag } from './status.tsx'
import { t } from './texts.ts'

const GROUPS = ['in', 'not_in', 'out', 'absent', 'late', 'on_site', 'remote', 'present'] as const
type Group = (typeof GROUPS)[number]
/** Groups shown even if empty, because managers look for them. */
const USUAL = new Set<Group>(['in', 'not_in', 'out', 'absent', 'late', 'on_site', 'remote'])

interface OfDay {
  employee: { id: number; number: string; name: string }
  state: 'not_in' | 'in' | 'out' | 'present' | 'absent'
  record: {
    id: number
    check_in: string | null
    check_out: string | null
    ends_next_day: boolean
    break_minutes: number
    attended_minutes: number | null
    status: string
    work_mode: string | null
  } | null
}

interface Day {
  employees: OfDay[]
  counts: Record<Group, number>
  total: number
  attended_minutes: number
  break_minutes: number
  page: number
  last_page: number
}

/** Changes the day or the filter without a new history entry. */
const look = (changes: Record<string, string | undefined>) => refine(changes, { replace: true })

const asked = (name: string) => at.value.searchParams.get(name)

export function Everybody() {
  const id = useId()
  const now = useClock()
  const here = today()
  const day = /^\d{4}-\d\d-\d\d$/.test(asked('date') ?? '') ? asked('date')! : here
  const only = GROUPS.find((group) => group === asked('only'))
  const page = /^\d{1,6}$/.test(asked('page') ?? '') ? asked('page')! : '1'
  const shown = useAnswer('/attendance-records/day', { date: day, page, ...(only ? { only } : {}) })
  const correcting = useSignal<OfDay | undefined>(undefined)
  const employees = summaryOf('employees')
  const records = summaryOf('attendance-records')
  const goTo = (to: string) => look({ date: to === here ? undefined : to, page: undefined })
  const mayCorrect = (row: OfDay) => may([row.record ? 'attendance.update' : 'attendance.create'])
  return (
    <section class="attendance-all" aria-labelledby={id}>
      <div class="attendance-bar">
        <h2 id={id}>{t('everybody')}</h2>
        <div class="attendance-chooser">
          <button type="button" class="only-icon" aria-label={t('previousDay')} onClick={() => goTo(later(day, -1))}>
            <Icon name="left" />
          </button>
          <input
            type="date"
            aria-label={t('day')}
            value={day}
            max="9999-12-31"
            onChange={({ currentTarget: { value } }) => value && goTo(value)}
          />
          <button type="button" class="only-icon" aria-label={t('nextDay')} onClick={() => goTo(later(day, 1))}>
            <Icon name="right" />
          </button>
        </div>
        {day !== here && (
          <button type="button" onClick={() => goTo(here)}>
            {t('today')}
          </button>
        )}
        <p class="quiet" aria-live="polite">
          {wholeDayText(day)}
        </p>
      </div>
      <Answered of={shown}>
        {({
          data: { employees: rows, counts, total, attended_minutes, break_minutes, page: shownPage, last_page },
        }: {
          data: Day
        }) => {
          const hasDeeds = rows.some((row) => mayCorrect(row) || (row.record && records?.has_record))
          return (
            <>
              <fieldset class="attendance-groups">
                <legend class="unseen">{t('keepTo')}</legend>
                <button type="button" aria-pressed={!only} onClick={() => look({ only: undefined, page: undefined })}>
                  <strong>{counted.format(total)}</strong> {t('all')}
                </button>
                {GROUPS.filter((group) => USUAL.has(group) || counts[group] > 0).map((group) => (
                  <button
                    key={group}
                    type="button"
                    aria-pressed={only === group}
                    onClick={() => look({ only: only === group ? undefined : group, page: undefined })}
                  >
                    <strong>{counted.format(counts[group])}</strong> {t(group)}
                  </button>
                ))}
              </fieldset>
              <Modes counts={counts} total={total} />
              {attended_minutes > 0 && (
                <p class="quiet">
                  {t('hoursOfDay', { hours: hoursText(attended_minutes * 60), breaks: hoursText(break_minutes * 60) })}
                </p>
              )}
              {rows.length === 0 && <Empty level={3} title={t('nobody')} says={t(only ? 'nobodySuch' : 'nobodySays')} />}
              {rows.length > 0 && (
                <div class="table-wrap">
                  <table class="stacked attendance-table">
                    <thead>
                      <tr>
                        <th scope="col">{t('employee')}</th>
                        <th scope="col">{t('state')}</th>
                        <th scope="col">{t('workMode')}</th>
                        <th scope="col" class="numbers">
                          {t('came')}
                        </th>
                        <th scope="col" class="numbers">
                          {t('left')}
                        </th>
                        <th scope="col" class="numbers">
                          {t('time')}
                        </th>
                        {hasDeeds && (
                          <th scope="col">
                            <span class="unseen">{common('actions')}</span>
                          </th>
                        )}
                      </tr>
                    </thead>
                    <tbody>
                      {rows.map((row) => {
                        const { employee, state, record } = row
                        return (
                          <tr key={employee.id} data-state={state}>
                            <th scope="row">
                              {employees?.has_record ? (
                                <a class="title" href={recordAddress(employees, employee.id)}>
                                  {employee.name}
                                </a>
                              ) : (
                                employee.name
                              )}
                            </th>
                            <td>
                              <span class="chips">
                                <StateTag row={row} isToday={day === here} />
                                {record && ['late', 'half_day'].includes(record.status) && <StatusTag status={record.status} />}
                              </span>
                            </td>
                            <td>{record?.work_mode && t(record.work_mode as 'remote')}</td>
                            <td class="numbers">{record?.check_in && timeText(record.check_in)}</td>
                            <td class="numbers">{record?.check_out && departureText(record)}</td>
                            <td class="numbers">
                              {record?.attended_minutes != null
                                ? hoursText(record.attended_minutes * 60)
                                : record?.check_in && day === here && hoursText(between(record.check_in, now))}
                            </td>
                            {hasDeeds && (
                              <td class="attendance-deeds">
                                {record && records?.has_record && (
                                  <a
                                    class="button plain"
                                    href={recordAddress(records, record.id)}
                                    aria-label={t('recordOf', { name: employee.name })}
                                  >
                                    {t('record')}
                                  </a>
                                )}
                                {mayCorrect(row) && (
                                  <button
                                    type="button"
                                    class="plain"
                                    aria-label={t('correctOf', { name: employee.name })}
                                    onClick={() => (correcting.value = row)}
                                  >
                                    {t('correct')}
                                  </button>
                                )}
                              </td>
                            )}
                          </tr>
                        )
                      })}
                    </tbody>
                  </table>
                </div>
              )}
              {last_page > 1 && <Pages page={shownPage} last={last_page} />}
            </>
          )
        }}
      </Answered>
      {correcting.value && <Correct row={correcting.value} day={day} close={() => (correcting.value = undefined)} />}
    </section>
  )
}

const TONES = { in: 'good', out: '', not_in: '', present: 'good', absent: 'bad' } as const

function StateTag({ row: { state, record }, isToday }: { row: OfDay; isToday: boolean }) {
  if (state === 'in' && !isToday) return <span class="tag warn">{t('openEnd')}</span>
  if (state === 'not_in') return <span class="quiet">{t('not_in')}</span>
  return (
    <span class={`tag ${TONES[state]}`}>{state === 'in' ? t('since', { time: timeText(record!.check_in!) }) : t(state)}</span>
  )
}

/** Bar of the places of work; the figures above have the same numbers. */
function Modes({ counts, total }: { counts: Record<Group, number>; total: number }) {
  if (!total) return null
  const parts = [
    ['on_site', counts.on_site],
    ['remote', counts.remote],
    ['absent', counts.absent],
  ] as const
  return (
    <div class="attendance-modes-line" aria-hidden="true">
      {parts.map(([name, count]) => (
        <span key={name} data-part={name} style={{ inlineSize: `${(100 * count) / total}%` }} />
      ))}
    </div>
  )
}

function Pages({ page, last }: { page: number; last: number }) {
  return (
    <nav class="pages" aria-label={common('pages')}>
      <span class="numbers">{t('page', { page, last })}</span>
      <Paging page={page} last={last} to={(next) => look({ page: next === 1 ? undefined : String(next) })} />
    </nav>
  )
}

const STATUSES = ['present', 'late', 'remote', 'half_day', 'absent'] as const

/** Enters or corrects somebody's day; a reason is required. */
function Correct({ row: { employee, record }, day, close }: { row: OfDay; day: string; close: () => void }) {
  const status = useSignal(record?.status ?? 'present')
  const mode = useSignal(record?.work_mode ?? '')
  const [came, left, why] = [
    useSignal(record?.check_in?.slice(0, 5) ?? ''),
    useSignal(record?.check_out?.slice(0, 5) ?? ''),
    useSignal(''),
  ]
  const endsNextDay = useSignal(record?.ends_next_day ?? false)
  const pause = useSignal(String(record?.break_minutes ?? 0))
  const { failure, waits, ask } = useAsking()
  const { message, fields: errors } = failure.value
  /** Keeps the seconds of a time that wasn't changed. */
  const timeOf = (typed: string, was: string | null | undefined) => (was?.startsWith(typed) && typed ? was : typed || null)
  const save = ask(async () => {
    const body = {
      check_in: timeOf(came.value, record?.check_in),
      check_out: timeOf(left.value, record?.check_out),
      ends_next_day: endsNextDay.value,
      break_minutes: Number(pause.value),
      status: status.value,
      change_reason: why.value,
    }
    if (record) await call('put', `/attendance-records/${record.id}`, { body: { ...body, work_mode: mode.value || null } })
    else await call('post', '/attendance-records', { body: { ...body, employee_id: employee.id, date: day } })
    changed()
    close()
    tell(t('corrected'))
  })
  const time = (label: string, name: string, value: typeof came) => (
    <TextField
      label={label}
      type="time"
      value={value.value}
      errors={errors[name]}
      onInput={(event) => (value.value = event.currentTarget.value)}
    />
  )
  useEffect(() => {
    if (message) document.querySelector('dialog [role=alert]')?.scrollIntoView()
  }, [message])
  return (
    <Dialog title={t('correctTitle', { name: employee.name, day: wholeDayText(day) })} close={close}>
      <form class="dialog-body" onSubmit={save} noValidate>
        <div role="alert">{message && <p class="notice bad">{message}</p>}</div>
        <div class="fields">
          {time(t('came'), 'check_in', came)}
          {time(t('left'), 'check_out', left)}
          <label class="check">
            <input
              type="checkbox"
              checked={endsNextDay.value}
              onChange={(event) => (endsNextDay.value = event.currentTarget.checked)}
            />
            <span>{t('endsNextDay')}</span>
            {errors.ends_next_day && <span class="error">{errors.ends_next_day.join(' ')}</span>}
          </label>
          <BreakField minutes={pause} errors={errors.break_minutes} />
          <Field label={t('state')} errors={errors.status}>
            {(tied) => (
              <select {...tied} value={status.value} onChange={(event) => (status.value = event.currentTarget.value)}>
                {STATUSES.map((one) => (
                  <option key={one} value={one}>
                    {t(one)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {record && (
            <Field label={t('workMode')} errors={errors.work_mode}>
              {(tied) => (
                <select {...tied} value={mode.value} onChange={(event) => (mode.value = event.currentTarget.value)}>
                  <option value="">{common('none')}</option>
                  <option value="on_site">{t('on_site')}</option>
                  <option value="remote">{t('remote')}</option>
                </select>
              )}
            </Field>
          )}
          <div class="whole">
            <TextField
              label={t('why')}
              hint={t('whySays')}
              required
              maxLength={1000}
              value={why.value}
              errors={errors.change_reason ?? errors.date ?? errors.employee_id}
              onInput={(event) => (why.value = event.currentTarget.value)}
            />
          </div>
        </div>
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {common('cancel')}
          </button>
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {common('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
