import { listWidget } from '#kernel/records/widget.ts'
import { estimateList } from './estimates.ts'

export default [
  listWidget({
    key: 'sent_estimates',
    title: 'Estimates that await an answer',
    allow: 'estimates.view',
    list: estimateList,
    filters: { status: 'sent' },
    shows: ['id', 'number', 'title', 'status', 'valid_until', 'company', 'currency', 'total'],
  }),
]
