/** Tasks of a project, as a board or list, with a line to add one. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { useEvents } from '#console/client/events.ts'
import { Answered } from '#console/client/parts/answered.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { TextField } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Item } from '#console/client/parts/menu.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Board, type Hooks } from '#console/client/screens/board.tsx'
import { Due, Who } from '#console/client/screens/card.tsx'
import type { Column } from '#console/client/screens/columns.ts'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { later, today } from '#console/client/screens/days.ts'
import {
  knownScreen,
  listAddress,
  may,
  type Row,
  recordAddress,
  type Screen,
  screenFor,
  summaryOf,
} from '#console/client/screens/shape.ts'
import { counted, Value } from '#console/client/screens/values.tsx'
import { t } from './texts.ts'

const KEPT = 'atrium.projects.tasks'
const LAYOUTS = ['board', 'list'] as const
type TaskLayout = (typeof LAYOUTS)[number]

const save = async (path: string, method: 'put' | 'post', body: Row) => {
  try {
    await call(method, path, { body })
  } catch (error) {
    tell((error as Error).message)
  }
  changed()
}

export function Tasks({ project }: { project: Row }) {
  const summary = summaryOf('tasks')!
  const screen = useSignal(knownScreen(summary.key))
  const layout = useSignal<TaskLayout>(localStorage.getItem(KEPT) === 'list' ? 'list' : 'board')
  const dating = useSignal<Row | undefined>(undefined)
  useEffect(() => {
    if (screen.value) return
    screenFor(summary.key).then(
      (found) => {
        screen.value = found
      },
      (error) => tell(error.message),
    )
  }, [])
  const query = { project_id: String(project.id) }
  const date = (task: Row) => {
    dating.value = task
  }
  return (
    <section>
      <div class="head projects-head">
        <h2>{t('tasks')}</h2>
        <div class="tools">
          <div class="projects-layout" role="group" aria-label={t('layout')}>
            {LAYOUTS.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={layout.value === one}
                onClick={() => {
                  layout.value = one
                  localStorage.setItem(KEPT, one)
                }}
              >
                <Icon name={one} />
                {t(one)}
              </button>
            ))}
          </div>
          <a class="button plain" href={`${listAddress(summary)}?${new URLSearchParams(query)}`}>
            {t('all')}
          </a>
        </div>
      </div>
      {!screen.value ? (
        <p class="quiet">{t('loading')}</p>
      ) : layout.value === 'board' && screen.value.board ? (
        <TaskBoard screen={screen.value} query={query} project={project} date={date} />
      ) : (
        <TaskList screen={screen.value} query={query} project={project} />
      )}
      {dating.value && (
        <DueDialog
          task={dating.value}
          close={() => {
            dating.value = undefined
          }}
        />
      )}
    </section>
  )
}

interface Props {
  screen: Screen
  query: Record<string, string>
  project: Row
}

function TaskBoard({ screen, query, project, date }: Props & { date: (task: Row) => void }) {
  const mayChange = screen.edit !== null && may(screen.edit.allow)
  const hooks = useRef<Hooks | undefined>(undefined)
  const put = (task: Row, due_on: string | null) => void save(`/tasks/${task.id}`, 'put', { due_on })
  const items = (task: Row) => (
    <>
      <hr />
      <div class="group">{t('dueDay')}</div>
      <Item act={() => put(task, today())}>{t('today')}</Item>
      <Item act={() => put(task, later(today(), 1))}>{t('tomorrow')}</Item>
      <Item act={() => put(task, later(today(), 7))}>{t('inAWeek')}</Item>
      {task.due_on && <Item act={() => put(task, null)}>{t('noDay')}</Item>}
      <Item act={() => date(task)}>{t('dueDay')} …</Item>
    </>
  )
  hooks.current ??= {
    card: ['due_on', 'assigned_to'],
    ...(mayChange ? { items } : {}),
    keys: mayChange ? { d: date } : {},
    foot: ({ key }: Column) => (key === screen.lifecycle?.initial ? <AddTask project={project} /> : null),
  }
  return (
    <div class="projects-board">
      <Board screen={screen} query={query} hooks={hooks.current} isWithin />
    </div>
  )
}

/** Adds a task by its title; the line is ready for the next one at once. */
function AddTask({ project }: { project: Row }) {
  const title = useSignal('')
  const error = useSignal('')
  const waits = useSignal(false)
  if (!summaryOf('tasks')?.may_create) return null
  const add = async (event: Event) => {
    event.preventDefault()
    const typed = title.value.trim()
    if (!typed || waits.value) return
    waits.value = true
    try {
      await call('post', '/tasks', { body: { title: typed, project_id: project.id } })
      title.value = ''
      error.value = ''
      tell(t('added', { title: typed }))
      changed()
    } catch (failure) {
      error.value = (failure as Error).message
    } finally {
      waits.value = false
    }
  }
  return (
    <form class="projects-add" onSubmit={add} noValidate>
      <input
        aria-label={t('newTask')}
        aria-invalid={error.value ? true : undefined}
        placeholder={t('addTask')}
        maxLength={255}
        value={title.value}
        onInput={(event) => {
          title.value = event.currentTarget.value
        }}
      />
      <div role="alert">{error.value && <p class="error">{error.value}</p>}</div>
    </form>
  )
}

const SHOWN = 100

function TaskList({ screen, query, project }: Props) {
  const told = useAnswer('/tasks', { ...query, per_page: String(SHOWN) })
  useEvents(screen.resource, changed)
  const tasks = (told.answer?.data ?? []) as Row[]
  const mayMove = screen.board?.move !== null && may(screen.board?.move?.allow ?? [])
  const mayChange = screen.edit !== null && may(screen.edit.allow)
  const fieldOf = (name: string) => screen.list.columns.find((one) => one.name === name)!
  const rest = Number(told.answer?.meta?.total ?? 0) - tasks.length
  return (
    <>
      <Answered of={told}>{() => !tasks.length && <p class="quiet">{t('noTasks')}</p>}</Answered>
      <ul class="projects-tasks">
        {tasks.map((task) => (
          <li key={task.id}>
            <input
              type="checkbox"
              aria-label={t('doneOf', { title: task.title })}
              checked={task.status === 'done'}
              disabled={!mayMove}
              onChange={({ currentTarget: { checked } }) =>
                void save(`/tasks/${task.id}/status`, 'post', { status: checked ? 'done' : 'todo' })
              }
            />
            <a class="title" href={recordAddress(screen, task.id)}>
              {task.title}
            </a>
            <Value field={fieldOf('status')} row={task} />
            {mayChange ? (
              <input
                type="date"
                aria-label={t('dueOf', { title: task.title })}
                value={task.due_on ?? ''}
                onChange={({ currentTarget: { value } }) => void save(`/tasks/${task.id}`, 'put', { due_on: value || null })}
              />
            ) : (
              <Due field={fieldOf('due_on')} row={task} />
            )}
            {task.assignee && <Who name={task.assignee.name} />}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p>
          <a href={`${listAddress(screen)}?${new URLSearchParams(query)}`}>{t('more', { count: counted.format(rest) })}</a>
        </p>
      )}
      <AddTask project={project} />
    </>
  )
}

function DueDialog({ task, close }: { task: Row; close: () => void }) {
  const day = useSignal<string>(task.due_on ?? today())
  return (
    <Dialog title={t('dueOf', { title: task.title })} close={close}>
      <form
        class="dialog-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          close()
          void save(`/tasks/${task.id}`, 'put', { due_on: day.value || null })
        }}
      >
        <TextField
          label={t('dueDay')}
          type="date"
          value={day.value}
          onInput={(event: { currentTarget: HTMLInputElement }) => {
            day.value = event.currentTarget.value
          }}
        />
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary">
            {t('dueDay')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
