import { kind } from '#kernel/modules/notifications.ts'

export default [
  kind('invoice.created', {
    subject: 'invoice',
    title: 'A new invoice is yours',
    news: (_, { invoice_id }) => ({
      ids: [invoice_id],
      title: 'New invoice',
      body: (name) => `Invoice ${name} was created and is yours.`,
    }),
  }),
  kind('invoice.paid', {
    subject: 'invoice',
    title: 'An invoice of yours is paid',
    news: (_, { invoice_id }) => ({ ids: [invoice_id], title: 'Invoice paid', body: (name) => `Invoice ${name} is paid.` }),
  }),
  kind('invoice.voided', {
    subject: 'invoice',
    title: 'An invoice of yours is voided',
    news: (_, { invoice_id }) => ({ ids: [invoice_id], title: 'Invoice voided', body: (name) => `Invoice ${name} was voided.` }),
  }),
]
