import { kind } from '#kernel/modules/notifications.ts'

export default [
  kind('credit_note.applied', {
    subject: 'invoice',
    title: 'A credit note is applied to an invoice of yours',
    news: (_, { credit_note_id, invoice_id }) => ({
      ...{ ids: [invoice_id], metadata: { credit_note_id }, title: 'Credit note applied' },
      body: (name) => `A credit note was applied to invoice ${name}.`,
    }),
  }),
]
