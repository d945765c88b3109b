import { listWidget } from '#kernel/records/widget.ts'
import { contractList } from './contracts.ts'

export default [
  listWidget({
    key: 'sent_contracts',
    title: 'Contracts that await a signature',
    allow: 'contracts.view',
    list: contractList,
    filters: { status: 'sent' },
    shows: ['id', 'number', 'title', 'status', 'ends_on', 'company', 'currency', 'value'],
  }),
]
