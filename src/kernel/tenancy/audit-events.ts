/**
 * Every event of the audit log with what people call it, for those who list, filter or show them. Areas say theirs in their manifests
 * (`auditEvents`); these are the kernel's, which happen in workspaces and on the platform alike.
 */
import { z } from 'zod'
import { declared } from '../modules/declared.ts'
import type { AuditEventNames } from '../modules/module.ts'
import { coded } from '../values/fields.ts'

export const kernelEvents = {
  two_factor_turned_on: 'Second factor turned on',
  two_factor_turned_off: 'Second factor turned off',
  recovery_codes_renewed: 'Recovery codes renewed',
  passkey_added: 'Passkey added',
  passkey_removed: 'Passkey removed',
  passkey_confirmed: 'Passkey confirmed',
  passkeys_suspended: 'Passkeys suspended',
  'api_key.created': 'API key created',
  'api_key.updated': 'API key changed',
  'api_key.rotated': 'API key rotated',
  'api_key.revoked': 'API key revoked',
  'api_key.new_network': 'API key used from a new network',
  'webhook_endpoint.created': 'Webhook endpoint created',
  'webhook_endpoint.updated': 'Webhook endpoint changed',
  'webhook_endpoint.rotated': 'Secret of a webhook endpoint rotated',
  'webhook_endpoint.deleted': 'Webhook endpoint deleted',
  'webhook_endpoint.disabled': 'Webhook endpoint switched off',
  'platform_account.entered': 'Account of the platform let in',
  'platform_grants.opened': 'Access and money opened to the platform',
  'platform_grants.closed': 'Access and money closed to the platform',
}

declare module '../names.ts' {
  interface AuditEvents extends AuditEventNames<typeof kernelEvents> {}
}

/** What people call the events that a workspace's own log may hold, or any log. Older versions wrote others. */
export const auditEventsOf = (whose: 'workspace' | 'any'): Record<string, string> => ({
  ...kernelEvents,
  ...declared().auditEvents[whose],
})

/** The event of an entry in a reply. */
export const auditEvent = (whose: 'workspace' | 'any') => coded(z.string(), auditEventsOf(whose))
