/** Properties of audit events that operators may see. Unlisted ones weren't reviewed and are never returned (CEN-36). */

const reviewed: Record<string, readonly string[]> = {
  // Workspaces
  tenant_created: ['company_name'],
  tenant_updated: ['fields', 'status'],
  tenant_archived: [],
  tenant_unarchived: [],
  tenant_deleted: [],
  tenant_restored: [],
  tenant_force_deleted: ['tenant_id', 'company_name', 'slug'],
  owner_verified: ['user_id'],
  module_installed: ['module_key', 'billing_cycle', 'subscription_id'],
  impersonation_started: ['impersonation_id', 'target_id', 'reason'],
  impersonation_ended: ['impersonation_id', 'target_id', 'admin_id'],
  branded_domain_provisioned: ['domain'],
  secret_mail_read: ['uuid'],
  // Events within workspaces. The reason for impersonating a colleague is the workspace's own business.
  user_signed_in: [],
  branded_domain_claimed: ['domain'],
  branded_domain_verified: ['domain'],
  branded_domain_lost: ['domain'],
  branded_domain_removed: ['domain'],
  user_impersonation_started: ['user_impersonation_id', 'target_id'],
  user_impersonation_ended: ['user_impersonation_id', 'target_id'],
  // The platform itself
  system_settings_updated: ['keys'],
  test_mail_sent: [],
  module_created: ['module_id', 'key'],
  module_updated: ['module_id', 'key', 'fields'],
  module_deleted: ['module_id', 'key'],
  module_restored: ['module_id', 'key'],
  module_deleted_for_good: ['module_id', 'key'],
  payment_gateway_configured: ['gateway', 'mode', 'credentials'],
  payment_gateway_mode_changed: ['gateway', 'mode'],
  payment_gateway_enabled: ['gateway'],
  payment_gateway_disabled: ['gateway'],
  payment_gateway_made_default: ['gateway'],
  jobs_retried: ['asked', 'retried'],
  jobs_discarded: [],
  beta_application_judged: ['beta_application_id', 'from', 'to'],
  beta_application_invited: ['beta_application_id'],
  // Users of the platform
  platform_user_created: ['user_id', 'roles'],
  platform_user_invited: ['user_id', 'roles'],
  platform_user_updated: ['user_id', 'fields', 'roles'],
  platform_user_verified: ['user_id'],
  platform_user_suspended: ['user_id'],
  platform_user_unsuspended: ['user_id'],
  platform_user_deleted: ['user_id'],
  platform_user_restored: ['user_id'],
  platform_user_force_deleted: ['user_id'],
  platform_user_password_reset: ['user_id'],
  role_created: ['role_id', 'name'],
  role_updated: ['role_id', 'name', 'fields'],
  role_deleted: ['role_id', 'name'],
}

export const reviewedEvents: ReadonlySet<string> = new Set(Object.keys(reviewed))

/** Returns the properties of an event that are listed here. */
export const reviewedProperties = (event: string, properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries((reviewed[event] ?? []).flatMap((name) => (name in properties ? [[name, properties[name]]] : [])))
