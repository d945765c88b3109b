import { kind } from '#kernel/modules/notifications.ts'

export default [
  kind('quotation.accepted', {
    subject: 'quotation',
    title: 'A quotation of yours is accepted',
    news: (_, { quotation_id, by }) => ({
      ids: [quotation_id],
      escalates: by === 'customer',
      title: 'Quotation accepted',
      body: (name) => `Quotation ${name} was accepted.`,
    }),
  }),
  kind('quotation.rejected', {
    subject: 'quotation',
    title: 'A quotation of yours is rejected',
    news: (_, { quotation_id }) => ({
      ids: [quotation_id],
      title: 'Quotation rejected',
      body: (name) => `Quotation ${name} was rejected.`,
    }),
  }),
  kind('quotation.expired', {
    subject: 'quotation',
    title: 'A quotation of yours expires',
    news: (_, { quotation_id }) => ({
      ids: [quotation_id],
      title: 'Quotation expired',
      body: (name) => `Quotation ${name} has expired.`,
    }),
  }),
]
