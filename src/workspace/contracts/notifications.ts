import { kind } from '#kernel/modules/notifications.ts'

export default [
  kind('contract.signed', {
    subject: 'contract',
    title: 'A contract of yours is signed',
    news: (_, { contract_id }) => ({
      ids: [contract_id],
      escalates: true,
      title: 'Contract signed',
      body: (name) => `Contract ${name} was signed by the customer.`,
    }),
  }),
  kind('contract.expired', {
    subject: 'contract',
    title: 'A contract of yours expires',
    news: (_, { contract_id }) => ({
      ids: [contract_id],
      title: 'Contract expired',
      body: (name) => `Contract ${name} has expired.`,
    }),
  }),
  kind('contract.terminated', {
    subject: 'contract',
    title: 'A contract of yours is terminated',
    news: (_, { contract_id }) => ({
      ids: [contract_id],
      title: 'Contract terminated',
      body: (name) => `Contract ${name} was terminated.`,
    }),
  }),
]
