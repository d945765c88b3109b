/**
 * Audit events with their display names, for lists and filters. Modules declare theirs in their manifests (`auditEvents`); these
 * are the kernel's, which occur both in workspaces and on the platform.
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

/** Returns the display names of events in a workspace's own log, or in any log. Older versions wrote other events. */
export const auditEventsOf = (whose: 'workspace' | 'any'): Record<string, string> => ({
  ...kernelEvents,
  ...declared().auditEvents[whose],
})

/** Schema of an entry's event in a reply. */
export const auditEvent = (whose: 'workspace' | 'any') => coded(z.string(), auditEventsOf(whose))
