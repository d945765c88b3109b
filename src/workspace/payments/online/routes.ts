/** Routes of the workspace's payment methods. */
import { workspace } from '#kernel/http/route.ts'
import {
  BankTransfer,
  StripeMethod,
  saveBankTransfer,
  saveStripe,
  showBankTransfer,
  showStripe,
  UpdateBankTransfer,
  UpdateStripe,
} from './methods.ts'

const { get, put } = workspace
const allow = 'payments.configure'
const saved = 'Payment method saved.'

export default [
  get(
    '/payment-methods/bank_transfer',
    {
      allow,
      reply: BankTransfer,
      operation: 'showBankTransfer',
      summary: 'Show the account for transfers',
      description: 'Answers to which account customers transfer, and whether they are offered to.',
    },
    showBankTransfer,
  ),
  put(
    '/payment-methods/bank_transfer',
    {
      allow,
      grants: true,
      body: UpdateBankTransfer,
      reply: BankTransfer,
      message: saved,
      operation: 'saveBankTransfer',
      summary: 'Change the account for transfers',
      description:
        'Says to which account customers transfer. Once it is on, invoices in EUR carry a QR code that banking apps read (EPC069-12).',
    },
    (ctx, { body }) => saveBankTransfer(ctx, body),
  ),
  get(
    '/payment-methods/stripe',
    {
      allow,
      reply: StripeMethod,
      operation: 'showStripeMethod',
      summary: 'Show how Stripe is set up',
      description: 'Answers how the workspace’s own account at Stripe is set up, without its keys.',
    },
    showStripe,
  ),
  put(
    '/payment-methods/stripe',
    {
      allow,
      grants: true,
      body: UpdateStripe,
      reply: StripeMethod,
      message: saved,
      operation: 'saveStripeMethod',
      summary: 'Set up Stripe',
      description:
        'Sets the workspace’s own account at Stripe up. Keys are kept encrypted and never told; those that aren’t sent stay.',
    },
    (ctx, { body }) => saveStripe(ctx, body),
  ),
]
