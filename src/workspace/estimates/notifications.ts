import { kind } from '#kernel/modules/notifications.ts'

export default [
  kind('estimate.accepted', {
    subject: 'estimate',
    title: 'An estimate of yours is accepted',
    news: (_, { estimate_id }) => ({
      ids: [estimate_id],
      title: 'Estimate accepted',
      body: (name) => `Estimate ${name} was accepted.`,
    }),
  }),
  kind('estimate.declined', {
    subject: 'estimate',
    title: 'An estimate of yours is declined',
    news: (_, { estimate_id }) => ({
      ids: [estimate_id],
      title: 'Estimate declined',
      body: (name) => `Estimate ${name} was declined.`,
    }),
  }),
  kind('estimate.expired', {
    subject: 'estimate',
    title: 'An estimate of yours expires',
    news: (_, { estimate_id }) => ({
      ids: [estimate_id],
      title: 'Estimate expired',
      body: (name) => `Estimate ${name} has expired.`,
    }),
  }),
]
