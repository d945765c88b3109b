import { listWidget } from '#kernel/records/widget.ts'
import { taskList } from './tasks.ts'

/** The user's own tasks: overdue and next due first. */
export default [
  listWidget({
    key: 'my_open_tasks',
    title: 'My open tasks',
    allow: 'tasks.view',
    list: taskList,
    filters: { my_tasks: 'true', open: 'true', sort: 'due_on', direction: 'asc' },
    shows: ['id', 'title', 'status', 'due_on', 'project'],
  }),
]
