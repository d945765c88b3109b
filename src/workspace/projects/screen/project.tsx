/** Project page: progress, tasks and files above the record's fields. */
import { useSignal } from '@preact/signals'
import { Icon } from '#console/client/parts/icon.tsx'
import { type Asked, AskedDialog } from '#console/client/screens/actions.tsx'
import { Who } from '#console/client/screens/card.tsx'
import { useAnswer } from '#console/client/screens/data.ts'
import { atUtc, today } from '#console/client/screens/days.ts'
import { RecordScreen } from '#console/client/screens/record.tsx'
import { may, type Row, type Screen, summaryOf } from '#console/client/screens/shape.ts'
import { counted, textFor, Value } from '#console/client/screens/values.tsx'
import { Files } from './files.tsx'
import { Tasks } from './tasks.tsx'
import { t } from './texts.ts'

const OVERVIEW = ['contact_id', 'company_id', 'starts_on', 'ends_on', 'assigned_to', 'members']

export default function ProjectRecord({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={screen} id={id} top={Top} without={[...OVERVIEW, 'notes', 'tasks', 'documents']} />
}

function Top({ screen, row }: { screen: Screen; row: Row }) {
  return (
    <>
      <Overview screen={screen} project={row} />
      {summaryOf('tasks') && <Tasks project={row} />}
      {summaryOf('documents') && <Files project={row} />}
    </>
  )
}

const DAY_MS = 86_400_000
const daysBetween = (from: string, to: string) => Math.round((atUtc(to).getTime() - atUtc(from).getTime()) / DAY_MS)
const dayText = (day: string) => textFor({ name: '', label: '', kind: 'date' }, day, {})

function Overview({ screen, project }: { screen: Screen; project: Row }) {
  const asked = useSignal<Asked | undefined>(undefined)
  const fieldOf = (name: string) => screen.record!.fields.find((one) => one.name === name)
  const customers = [fieldOf('company_id'), fieldOf('contact_id')].filter((field) => field && project[field.name] !== null)
  const members = screen.actions.find(({ path, allow }) => path.endsWith('/members') && may(allow))
  return (
    <section class="projects-overview" aria-label={t('overview')}>
      <dl>
        <div>
          <dt>{t('customer')}</dt>
          <dd>
            {customers.length ? (
              customers.map((field) => (
                <span key={field!.name}>
                  <Value field={field!} row={project} />
                </span>
              ))
            ) : (
              <span class="quiet">{t('none')}</span>
            )}
          </dd>
        </div>
        <Time project={project} />
        {summaryOf('tasks') && <Progress project={project} />}
        <div>
          <dt>{t('people')}</dt>
          <dd class="projects-people">
            {project.assignee && (
              <span>
                <Who name={project.assignee.name} /> <small class="quiet">{t('leads')}</small>
              </span>
            )}
            {(project.members as Row[]).map(({ id, name }) => (
              <Who key={id} name={name} />
            ))}
            {!project.assignee && !project.members.length && <span class="quiet">{t('none')}</span>}
            {members && (
              <button
                type="button"
                class="plain only-icon"
                aria-label={t('members')}
                onClick={() => {
                  asked.value = { action: members, on: project.id, row: project }
                }}
              >
                <Icon name="edit" />
              </button>
            )}
          </dd>
        </div>
      </dl>
      <AskedDialog asked={asked} />
    </section>
  )
}

/** Shows the elapsed share of the project's time. */
function Time({ project: { starts_on, ends_on, status } }: { project: Row }) {
  if (!starts_on && !ends_on) return null
  const now = today()
  const isOver = status === 'completed' || status === 'cancelled'
  const length = starts_on && ends_on ? Math.max(1, daysBetween(starts_on, ends_on) + 1) : undefined
  const passed = starts_on ? Math.min(length ?? 0, Math.max(0, daysBetween(starts_on, now))) : 0
  const left = ends_on ? daysBetween(now, ends_on) : undefined
  const isLate = !isOver && left !== undefined && left < 0
  const count = (days: number) => counted.format(days)
  const says = isOver
    ? ''
    : starts_on && starts_on > now
      ? t('startsIn', { count: count(daysBetween(now, starts_on)) })
      : left === undefined
        ? ''
        : left < 0
          ? t('over', { count: count(-left) })
          : left === 0
            ? t('lastDay')
            : t('daysLeft', { count: count(left) })
  return (
    <div>
      <dt>{t('time')}</dt>
      <dd>
        <span>
          {starts_on ? dayText(starts_on) : t('open')} – {ends_on ? dayText(ends_on) : t('open')}
        </span>
        {length !== undefined && !isOver && <progress max={length} value={isLate ? length : passed} aria-label={t('time')} />}
        {says && <small class={isLate ? 'due late' : 'quiet'}>{says}</small>}
      </dd>
    </div>
  )
}

/** Shows how many tasks are done, without cancelled ones. */
function Progress({ project }: { project: Row }) {
  const stats = useAnswer('/tasks/stats', { project_id: String(project.id) }).answer?.data
  if (!stats) return null
  const total = stats.total_tasks - stats.cancelled
  return (
    <div>
      <dt>{t('tasks')}</dt>
      <dd>
        {total > 0 ? (
          <>
            <span>{t('tasksDone', { done: counted.format(stats.done), total: counted.format(total) })}</span>
            <progress max={total} value={stats.done} aria-label={t('tasks')} />
          </>
        ) : (
          <span class="quiet">{t('noTasks')}</span>
        )}
      </dd>
    </div>
  )
}
