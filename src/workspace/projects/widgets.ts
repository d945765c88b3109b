import { listWidget } from '#kernel/records/widget.ts'
import { projectList } from './projects.ts'

/** PRJ-35. Longest overdue first. */
const card = (key: string, title: string, filters: Record<string, string>) =>
  listWidget({
    key,
    title,
    allow: 'projects.view',
    list: projectList,
    filters,
    shows: ['id', 'uuid', 'title', 'status', 'starts_on', 'ends_on', 'company', 'assignee'],
  })

export default [
  card('active_projects', 'Active projects', { status: 'active' }),
  card('overdue_projects', 'Overdue projects', { overdue: 'true', sort: 'ends_on', direction: 'asc' }),
]
