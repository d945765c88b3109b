import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  date,
  longText,
  optionalDate,
  optionalRef,
  optionalText,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { projectRef } from '#workspace/projects/public.ts'
import { lifecycle } from './lifecycle.ts'

/** `project_id` must be visible to the actor (PRJ-13). */
export const CreateTask = z.object({
  title: text(255),
  description: optionalText(),
  status: choice(lifecycle.states).default(lifecycle.initial),
  due_on: optionalDate(),
  project_id: optionalRef('project').meta({
    description: 'Id of the project that it belongs to, one that the caller sees; null: none.',
    examples: [5],
  }),
  assigned_to: assignee(),
})
export const UpdateTask = changesOf(CreateTask)

export const Task = view('tasks', 'Task', {
  id: z.int(),
  title: z.string(),
  description: longText().nullable(),
  status: choice(lifecycle.states),
  due_on: date().nullable().describe('Day until which it is to be done; null: no day. Reminders go by it.'),
  project_id: z.int().nullable(),
  project: projectRef('project_id'),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

export const TaskDetail = extended(Task, 'TaskDetail', { notes: newestNotes(), activities: activities() })

export const TaskColumn = z
  .object({
    status: choice(lifecycle.states),
    task_count: z.int().meta({ description: 'How many tasks are in this state.', examples: [3] }),
    tasks: z.array(Task).describe('The first of them.'),
  })
  .meta({ id: 'TaskColumn' })
