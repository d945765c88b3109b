/** Roles of a new installation. */
import type { PlatformPermission } from '#kernel/names.ts'
import { SUPERADMIN } from './powers.ts'

interface SeededRole {
  name: string
  is_protected: boolean
  permissions: PlatformPermission[]
}

/** superadmin has every permission. Roles that routes name are protected (AUTH-23). */
export const seededRoles: SeededRole[] = [
  { name: SUPERADMIN, is_protected: true, permissions: [] },
  { name: 'developer', is_protected: true, permissions: [] },
  { name: 'tester', is_protected: true, permissions: [] },
  {
    name: 'support',
    is_protected: false,
    permissions: [
      ...(['tenants.list', 'tenants.read', 'tenants.verify', 'module-subscriptions.list', 'module-subscriptions.read'] as const),
      ...(['email-logs.list', 'email-logs.read', 'email-logs.resend', 'impersonation.list', 'dashboard.view'] as const),
    ],
  },
  {
    name: 'billing',
    is_protected: false,
    permissions: [
      ...(['tenants.list', 'tenants.read', 'modules.list', 'modules.read', 'dashboard.view', 'billing.manage'] as const),
      'module-subscriptions.list',
      'module-subscriptions.read',
      'module-subscriptions.update',
      'module-subscriptions.deactivate',
      ...(['invoices.list', 'invoices.read', 'payments.list', 'payments.read'] as const),
    ],
  },
]
