/** Routes, daily job and widget of an offer kind. */
import { action, activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import type { Permission } from '#kernel/names.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { listWidget } from '#kernel/records/widget.ts'
import { capital } from '#kernel/values/words.ts'
import { emailRoute, endOverdue } from '#workspace/billing-documents/public.ts'
import { InvoiceDetail, showInvoice } from '#workspace/invoices/public.ts'
import { paperRoutes, previewRoutes } from '#workspace/issued-documents/public.ts'
import { OfferChanges, OfferInput, RefusalInput } from './fields.ts'
import type { Offer } from './offer.ts'

const may = ({ of }: Offer, action: 'send' | 'accept' | 'convert') => `${of.module}.${action}` as Permission

export function offerRoutes(offer: Offer): Route[] {
  const { of, offered, lifecycle, refuseMove } = offer
  const allow = may(offer, 'accept')
  const kept = {
    body: OfferInput,
    changes: OfferChanges,
    create: offer.create,
    update: offer.update,
    guards: { update: draftsOnly(of) },
  }
  const done = (move: string) => `${capital(of.noun)} ${lifecycle.moves[move]!.to}.`
  return [
    ...recordRoutes(of, { list: offer.list, stats: offer.stats, ...kept }),
    ...activityRoutes(of),
    assignRoute(of),
    action(
      of,
      '/:id/send',
      {
        allow: may(offer, 'send'),
        grants: false,
        guard: offer.refuseSending,
        message: done('send'),
        description:
          'Issues a draft to the customer: its lines are fixed and what it prints is frozen. It mails nothing; `email` does.',
      },
      offer.send,
    ),
    ...(offer.staffRoutes?.(offered, may(offer, 'send')) ?? []),
    action(
      of,
      '/:id/accept',
      {
        allow,
        grants: false,
        guard: offer.refuseAcceptance,
        message: done('accept'),
        description: 'Notes that the customer accepted what was sent, otherwise than by a link. Open links end.',
      },
      offer.accept,
    ),
    action(
      of,
      `/:id/${refuseMove}`,
      {
        allow,
        grants: false,
        body: RefusalInput,
        message: done(refuseMove),
        description: 'Notes that the customer refused what was sent, and why. Open links end.',
      },
      offer.refuse,
    ),
    action(
      of,
      '/:id/expire',
      {
        allow,
        grants: false,
        message: done('expire'),
        description: 'Notes that what was sent is no longer valid. Open links end.',
      },
      offer.expire,
    ),
    ...paperRoutes(of, `${of.module}-pdf`, offer.pdf),
    ...previewRoutes(of, offered, kept),
    workspace.post(
      '/:id/convert',
      {
        allow: may(offer, 'convert'),
        grants: false,
        record: of.lock,
        guard: offer.refuseConversion,
        reply: InvoiceDetail,
        status: 201,
        message: 'Invoice drafted.',
        description:
          'Makes a draft invoice of what was accepted, with its customer and lines, and answers the invoice. Once only: a second time is a 422.',
      },
      async (ctx, { record }) => showInvoice(ctx, await offer.convert(ctx, record)),
    ),
    emailRoute(of, { allow: may(offer, 'send'), guard: offer.refuseMailing }, offer.email),
  ]
}

/** Daily job: expires offers whose last day has passed, except converted ones. */
export const expireOverdue = ({ of, expire }: Offer) =>
  defineWorkspaceJob({
    name: `${of.module}-expire`,
    daily: { at: '00:05' },
    transactions: 'own',
    run: (steps) =>
      endOverdue(steps, of, { lastDay: 'valid_until', states: ['sent'], settledBy: 'converted_invoice_id', end: expire }),
  })

/** Sent offers without an answer. A converted offer counts as answered, whatever its status. */
export const sentWidget = ({ of, list }: Offer) =>
  listWidget({
    key: `sent_${of.table}`,
    title: `${capital(of.noun)}s that await an answer`,
    allow: of.may('view'),
    list,
    filters: { status: 'sent', converted: 'false' },
    shows: ['id', 'number', 'title', 'status', 'valid_until', 'company', 'currency', 'total'],
  })
