import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  invoices: {
    icon: 'document',
    columns: ['number', 'status', 'contact_id', 'company_id', 'issue_date', 'due_date', 'total', 'balance_due'],
    groups: [
      { title: 'Customer', fields: ['title', 'contact_id', 'company_id'] },
      { title: 'Dates and currency', fields: ['issue_date', 'due_date', 'currency'] },
      {
        title: 'Amounts',
        fields: ['total', 'balance_due', 'amount_paid', 'amount_credited', 'subtotal', 'discount_total', 'tax_total'],
      },
      {
        title: 'Delivery and references',
        folded: true,
        fields: ['delivery_date', 'delivery_period_start', 'delivery_period_end', 'buyer_reference', 'order_reference'],
      },
      {
        title: 'Repeats',
        folded: true,
        fields: [
          'is_recurring',
          'recurrence_frequency',
          'recurrence_next_issue_on',
          'recurrence_ends_on',
          'recurrence_status',
          'recurring_source_invoice_id',
        ],
      },
    ],
  },
})
