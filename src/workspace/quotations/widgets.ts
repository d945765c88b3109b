import { listWidget } from '#kernel/records/widget.ts'
import { quotationList } from './quotations.ts'

export default [
  listWidget({
    key: 'sent_quotations',
    title: 'Quotations that await an answer',
    allow: 'quotations.view',
    list: quotationList,
    filters: { status: 'sent' },
    shows: ['id', 'number', 'title', 'status', 'valid_until', 'company', 'currency', 'total'],
  }),
]
