/** Labels of logged mails by their type. Other types are shown as the words of their name. */
import { declared } from '#kernel/modules/declared.ts'
import { kernelEvents } from '#kernel/tenancy/audit-events.ts'

const kinds = {
  'auth.verify_email': 'Address to confirm',
  'auth.cancel_email_change': 'Change of an address',
  'auth.reset_password': 'New password',
  'auth.invitation': 'Invitation',
  'beta_application.invited': 'Invitation to the beta',
  'billing.invoice_issued': 'Invoice of the platform',
  'billing.payment_failed': 'Payment failed',
  'system.test_mail': 'Test mail',
  'mail.bounced': 'A mail came back',
  'webhook.disabled': 'Webhook endpoint switched off',
  'daily_summary.personal': 'Summary of one’s day',
  'daily_summary.team': 'Summary of the team’s day',
  'customer_invoice.emailed': 'Invoice',
  'customer_invoice.reminded': 'Reminder',
  'purchase_order.emailed': 'Purchase order',
  'quotation.emailed': 'Quotation',
  'quotation.signed': 'Signed quotation',
  'estimate.emailed': 'Estimate',
  'estimate.signed': 'Signed estimate',
  'contract.emailed': 'Contract',
  'contract.signed': 'Signed contract',
}

/** Credential changes. Their mails have the types of their audit events. */
const credentials = [
  ...(['two_factor_turned_on', 'two_factor_turned_off', 'recovery_codes_renewed'] as const),
  ...(['passkey_added', 'passkey_removed', 'passkey_confirmed', 'passkeys_suspended'] as const),
  ...(['api_key.created', 'api_key.rotated'] as const),
  ...(['platform_grants.opened', 'platform_grants.closed'] as const),
]

/** Labels by mail type. */
export const mailKinds: Record<string, string> = {
  ...kinds,
  ...Object.fromEntries(credentials.map((event) => [`auth.${event}`, kernelEvents[event]])),
  ...Object.fromEntries(
    declared().notifications.flatMap((one) => one.kinds.map(({ type, title }) => [`notification.${type}`, title])),
  ),
}

/** Labels of mail providers. */
export const providers = { log: 'Log', smtp: 'SMTP', postmark: 'Postmark', mailgun: 'Mailgun', ses: 'SES' }
