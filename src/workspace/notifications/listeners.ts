/** Who is told of what others do: one line for each event that is somebody's news. */
import { type EventName, type Events, type Listener, on } from '#kernel/modules/events.ts'
import type { NotificationType } from './catalogue.ts'
import type { Resource } from './envelope.ts'
import { notifyCredited, notifyPosted, notifyVoided } from './invoice-news.ts'
import { notifyAssigned, notifyDuplicates, notifyImported } from './lead-news.ts'
import { doer, notifyAboutRecord, notifyAssignee, notifyMentioned } from './news.ts'
import { notifyAboutOrder } from './order-news.ts'
import { judgeSockets } from './realtime/channels.ts'
import { forgetUser } from './retention.ts'

/** News of a record's state, for whoever it is given to. The event is the type. */
const toAssignee = <E extends EventName & NotificationType>(
  event: E,
  entity: Resource,
  idOf: (told: Events[E]) => number,
  title: string,
  body: (name: string) => string,
): Listener<E> => on<E>(event, (ctx, told) => notifyAssignee(ctx, { type: event, entity, id: idOf(told), title, body }))

const invoice = (told: { invoice_id: number }) => told.invoice_id
const quotation = (told: { quotation_id: number }) => told.quotation_id
const estimate = (told: { estimate_id: number }) => told.estimate_id
const contract = (told: { contract_id: number }) => told.contract_id

export default [
  on('record.mentioned', notifyMentioned),

  on('lead.assigned', async (ctx, told) => notifyAssigned(ctx, told)),
  on('lead.duplicate_detected', notifyDuplicates),
  on('lead.imported', notifyImported),
  on('task.assigned', (ctx, { task_id, user_id }) =>
    notifyAboutRecord(ctx, [user_id], {
      ...{ type: 'task.assigned', entity: 'task', id: task_id, source: 'assign', title: 'Task assigned to you' },
      body: (name) => `${doer(ctx)} assigned you the task ${name}.`,
    }),
  ),

  toAssignee('invoice.created', 'invoice', invoice, 'New invoice', (name) => `Invoice ${name} was created and is yours.`),
  toAssignee('invoice.paid', 'invoice', invoice, 'Invoice paid', (name) => `Invoice ${name} is paid.`),
  toAssignee('invoice.voided', 'invoice', invoice, 'Invoice voided', (name) => `Invoice ${name} was voided.`),
  on('payment.posted', (ctx, { payment_id }) => notifyPosted(ctx, payment_id)),
  on('payment.voided', (ctx, { payment_id }) => notifyVoided(ctx, payment_id)),
  on('credit_note.applied', (ctx, { credit_note_id, invoice_id }) => notifyCredited(ctx, credit_note_id, invoice_id)),

  on('purchase_order.received', (ctx, { purchase_order_id }) =>
    notifyAboutOrder(ctx, purchase_order_id, {
      ...{ type: 'purchase_order.received', title: 'Purchase order received' },
      body: (name) => `Purchase order ${name} was received.`,
    }),
  ),
  on('purchase_order.cancelled', (ctx, { purchase_order_id }) =>
    notifyAboutOrder(ctx, purchase_order_id, {
      ...{ type: 'purchase_order.cancelled', title: 'Purchase order cancelled' },
      body: (name) => `Purchase order ${name} was cancelled.`,
    }),
  ),

  toAssignee('quotation.accepted', 'quotation', quotation, 'Quotation accepted', (name) => `Quotation ${name} was accepted.`),
  toAssignee('quotation.rejected', 'quotation', quotation, 'Quotation rejected', (name) => `Quotation ${name} was rejected.`),
  toAssignee('quotation.expired', 'quotation', quotation, 'Quotation expired', (name) => `Quotation ${name} has expired.`),
  toAssignee('estimate.accepted', 'estimate', estimate, 'Estimate accepted', (name) => `Estimate ${name} was accepted.`),
  toAssignee('estimate.declined', 'estimate', estimate, 'Estimate declined', (name) => `Estimate ${name} was declined.`),
  toAssignee('estimate.expired', 'estimate', estimate, 'Estimate expired', (name) => `Estimate ${name} has expired.`),
  toAssignee(
    'contract.signed',
    'contract',
    contract,
    'Contract signed',
    (name) => `Contract ${name} was signed by the customer.`,
  ),
  toAssignee('contract.expired', 'contract', contract, 'Contract expired', (name) => `Contract ${name} has expired.`),
  toAssignee('contract.terminated', 'contract', contract, 'Contract terminated', (name) => `Contract ${name} was terminated.`),

  on('user.signed_out', async (ctx, { user_id }) => judgeSockets(ctx, user_id)),
  on('user.suspended', async (ctx, { user_id }) => judgeSockets(ctx, user_id)),
  on('user.deleted', async (ctx, { user_id }) => {
    await forgetUser(ctx, user_id)
    judgeSockets(ctx, user_id)
  }),
]
