/** Every type of notification: what it belongs to, when it comes, whether it may be mailed (NTF-02, NTF-03, NTF-21). */

interface TypeFacts {
  category: 'crm' | 'tasks' | 'billing' | 'support' | 'system'
  /** For the list of preferences. */
  title: string
  /** It is never mailed, whatever is set. */
  unmailed?: true
}

const mentions = (category: TypeFacts['category'], noun: string): TypeFacts => ({
  category,
  title: `Somebody mentions you in a note on a ${noun}`,
})

/** Digests belong to the type that they gather: `lead.assigned.digest` to `lead.assigned`. */
const facts = {
  'lead.assigned': { category: 'crm', title: 'You are given leads', unmailed: true }, // NTF-30
  'lead.duplicate_detected': { category: 'crm', title: 'An import finds leads of yours again' },
  'lead.imported': { category: 'crm', title: 'Your import has ended' },
  'lead.mentioned': mentions('crm', 'lead'),
  'contact.mentioned': mentions('crm', 'contact'),
  'company.mentioned': mentions('crm', 'company'),
  'opportunity.mentioned': mentions('crm', 'opportunity'),
  'quotation.accepted': { category: 'crm', title: 'A quotation of yours is accepted' },
  'quotation.rejected': { category: 'crm', title: 'A quotation of yours is rejected' },
  'quotation.expired': { category: 'crm', title: 'A quotation of yours expires' },
  'quotation.mentioned': mentions('crm', 'quotation'),
  'estimate.accepted': { category: 'crm', title: 'An estimate of yours is accepted' },
  'estimate.declined': { category: 'crm', title: 'An estimate of yours is declined' },
  'estimate.expired': { category: 'crm', title: 'An estimate of yours expires' },
  'estimate.mentioned': mentions('crm', 'estimate'),
  'contract.signed': { category: 'crm', title: 'A contract of yours is signed' },
  'contract.expired': { category: 'crm', title: 'A contract of yours expires' },
  'contract.terminated': { category: 'crm', title: 'A contract of yours is terminated' },
  'contract.mentioned': mentions('crm', 'contract'),
  'task.assigned': { category: 'tasks', title: 'You are given a task' },
  'task.mentioned': mentions('tasks', 'task'),
  'project.mentioned': mentions('tasks', 'project'),
  'invoice.created': { category: 'billing', title: 'A new invoice is yours' },
  'invoice.paid': { category: 'billing', title: 'An invoice of yours is paid' },
  'invoice.voided': { category: 'billing', title: 'An invoice of yours is voided' },
  'invoice.mentioned': mentions('billing', 'invoice'),
  'payment.posted': { category: 'billing', title: 'An invoice of yours is paid in part' },
  'payment.voided': { category: 'billing', title: 'A payment of an invoice of yours is voided' },
  'payment.mentioned': mentions('billing', 'payment'),
  'credit_note.applied': { category: 'billing', title: 'A credit note is applied to an invoice of yours' },
  'credit_note.mentioned': mentions('billing', 'credit note'),
  'purchase_order.received': { category: 'billing', title: 'A purchase order of yours is received' },
  'purchase_order.cancelled': { category: 'billing', title: 'A purchase order of yours is cancelled' },
  'purchase_order.mentioned': mentions('billing', 'purchase order'),
  'expense.mentioned': mentions('billing', 'expense'),
  'asset.mentioned': mentions('system', 'asset'),
  announcement: { category: 'system', title: 'The workspace announces something' },
} as const satisfies Record<string, TypeFacts>

export type NotificationType = keyof typeof facts
export const TYPES = Object.keys(facts) as [NotificationType, ...NotificationType[]]
export const factsOf = (type: NotificationType): TypeFacts => facts[type]
export const isType = (name: string): name is NotificationType => Object.hasOwn(facts, name)
