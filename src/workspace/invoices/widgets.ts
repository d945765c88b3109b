import { listWidget } from '#kernel/records/widget.ts'
import { invoiceList } from './invoices.ts'

const shows = ['id', 'number', 'title', 'status', 'due_date', 'contact', 'company', 'currency', 'balance_due'] as const

/** Widgets: unpaid invoices, and overdue ones. */
export default [
  listWidget({
    key: 'unpaid_invoices',
    title: 'Unpaid invoices',
    allow: 'invoices.view',
    list: invoiceList,
    filters: { status: 'unpaid' },
    shows,
  }),
  listWidget({
    key: 'overdue_invoices',
    title: 'Overdue invoices',
    allow: 'invoices.view',
    list: invoiceList,
    filters: { overdue: 'true' },
    shows,
  }),
]
