import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  {
    payments: {
      icon: 'money',
      begins: {
        from: 'allocations.invoice_id',
        fields: {
          amount: 'balance_due',
          'allocations.amount': 'balance_due',
          currency: 'currency',
          contact_id: 'contact_id',
          company_id: 'company_id',
        },
      },
    },
  },
  {
    'payment-methods': { title: 'Payment methods', icon: 'money', allow: ['payments.configure'], beside: true, drawn: 'methods' },
  },
)
