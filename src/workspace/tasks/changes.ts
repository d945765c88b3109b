/** Creates and changes tasks, and emits an event for a new assignee. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { assign } from '#kernel/records/assignment.ts'
import type { Row } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateTask, UpdateTask } from './schema.ts'
import { tasks } from './tasks.ts'

type TaskRow = Row<'tasks'>

export async function create(ctx: Ctx, body: z.output<typeof CreateTask>) {
  const made = await createRecord(ctx, tasks, CreateTask, body)
  await emitAssigned(ctx, null, (await made.inserted) as TaskRow)
  return made
}

export async function update(ctx: Ctx, task: TaskRow, { status, ...body }: z.output<typeof UpdateTask>) {
  const saved = await updateRecord(ctx, tasks, UpdateTask, task, body)
  if (status && status !== saved.status) await lifecycle.move(ctx, tasks, saved, lifecycle.leadingTo(status, saved.status)!)
  await emitAssigned(ctx, task, saved)
}

export async function assignTask(ctx: Ctx, task: TaskRow, to: number | null) {
  await emitAssigned(ctx, task, await assign(ctx, tasks, task, to))
}

/** Emits `task.assigned` when the assignee has changed. */
async function emitAssigned(ctx: Ctx, before: TaskRow | null, { id, assigned_to }: TaskRow) {
  if (assigned_to !== null && assigned_to !== before?.assigned_to)
    await emit(ctx, 'task.assigned', { task_id: id, user_id: assigned_to })
}
