import { action, activityRoutes, assignRoute, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { acceptanceRoutes } from '#workspace/acceptance/public.ts'
import { acceptanceGuard, emailRoute } from '#workspace/billing-documents/public.ts'
import { InvoiceDetail, showInvoice } from '#workspace/invoices/public.ts'
import { paperRoutes, previewRoutes } from '#workspace/issued-documents/public.ts'
import { contractList, contractStats, contracts, create, update } from './contracts.ts'
import { invoice, refuseInvoicing } from './invoicing.ts'
import { lifecycle } from './lifecycle.ts'
import {
  accept,
  acceptableContract,
  activate,
  email,
  expire,
  pdf,
  refuseMailing,
  refuseSending,
  send,
  terminate,
} from './moving.ts'
import { CreateContract, UpdateContract } from './schema.ts'

const kept = { body: CreateContract, changes: UpdateContract, create, update, guards: { update: draftsOnly(contracts) } }

const refuseAcceptance = acceptanceGuard(contracts, acceptableContract.lastDay)

export default [
  ...recordRoutes(contracts, { list: contractList, stats: contractStats, ...kept }),
  ...activityRoutes(contracts),
  assignRoute(contracts),
  action(
    contracts,
    '/:id/send',
    {
      allow: 'contracts.send',
      grants: false,
      guard: refuseSending,
      message: 'Contract sent.',
      description:
        'Issues a draft to the customer: what it prints is frozen, and it can be signed by a link. It mails nothing; `email` does.',
    },
    send,
  ),
  ...acceptanceRoutes(acceptableContract, 'contracts.send'),
  action(
    contracts,
    '/:id/accept',
    {
      allow: 'contracts.accept',
      grants: false,
      guard: refuseAcceptance,
      message: 'Contract accepted.',
      description: 'Makes a sent contract active without a signature by link. Its open links end.',
    },
    accept,
  ),
  statusRoute(
    contracts,
    lifecycle,
    { send, accept, activate, expire, terminate },
    { send: refuseSending, accept: refuseAcceptance },
  ),
  ...paperRoutes(contracts, 'contracts-pdf', pdf),
  ...previewRoutes(contracts, acceptableContract, kept),
  workspace.post(
    '/:id/invoice',
    {
      allow: 'contracts.convert',
      grants: false,
      record: contracts.lock,
      guard: refuseInvoicing,
      reply: InvoiceDetail,
      status: 201,
      message: 'Invoice drafted.',
      description: 'Makes a draft invoice over the contract’s value, and answers the invoice. Once only: a second time is a 422.',
    },
    async (ctx, { record }) => showInvoice(ctx, await invoice(ctx, record)),
  ),
  emailRoute(contracts, { allow: 'contracts.send', guard: refuseMailing }, email),
]
