import type { z } from 'zod'
import { actionsOn } from '#kernel/http/platform-actions.ts'
import { platform } from '#kernel/http/route.ts'
import { lockModules } from '#kernel/modules/subscriptions.ts'
import { picture } from '#kernel/storage/images.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { AuditEntry, auditLogs } from './audit-logs.ts'
import { install } from './installation.ts'
import { CreateTenant, Entitlements, InstallModule, Subscription, Tenant, TenantDetail, UpdateTenant } from './schema.ts'
import { archive, createTenant, entitlements, tenantList, tenants, unarchive, updateTenant, verifyOwner } from './tenants.ts'
import { deleteTenant, forceDelete, restoreTenant } from './trash.ts'

const { get, post, put, patch, del, multiTransaction } = platform

const upload = { logo: picture(2 * 1024 * 1024) }
const update = {
  allow: 'tenants.update',
  record: tenants.lock,
  body: UpdateTenant,
  reply: TenantDetail,
  upload,
  message: 'Workspace saved.',
} as const

const action = actionsOn(tenants)

const lockWithModules: typeof tenants.lock = async (ctx, id) => {
  await lockModules(ctx, id)
  return tenants.lock(ctx, id)
}

export default [
  get('/', { allow: 'tenants.list', query: tenantList.query, page: Tenant }, (ctx, { query }) => tenantList.page(ctx, query)),
  multiTransaction.post(
    '/',
    {
      allow: 'tenants.create',
      body: CreateTenant,
      reply: TenantDetail,
      upload,
      status: 201,
      message: 'Workspace created.',
    },
    (steps, { body, files }) => createTenant(steps, body, files.logo),
  ),
  get('/:id', { allow: 'tenants.read', reply: TenantDetail }, (ctx, { id }) => tenants.show(ctx, id)),
  put('/:id', update, (ctx, { record, body, files }) => updateTenant(ctx, record, body, files.logo)),
  patch('/:id', update, (ctx, { record, body, files }) => updateTenant(ctx, record, body, files.logo)),
  del('/:id', { allow: 'tenants.delete', record: tenants.lock, message: 'Workspace deleted.' }, (ctx, { record }) =>
    deleteTenant(ctx, record),
  ),
  action('/:id/restore', { allow: 'tenants.restore', record: tenants.lockAny, message: 'Workspace restored.' }, restoreTenant),
  del(
    '/:id/force',
    {
      allow: 'tenants.force.delete',
      record: tenants.lockAny,
      message: 'The workspace is gone for good. Its data and files are being erased.',
      description:
        'Erases a workspace that is in the trash, for good: users, records, files. What it was billed stays in the ledger.',
    },
    (ctx, { record }) => forceDelete(ctx, record),
  ),
  action(
    '/:id/archive',
    {
      allow: 'tenants.archive',
      message: 'Workspace archived.',
      description:
        'Closes the workspace to its users (403 `WORKSPACE_ARCHIVED`) and keeps everything. It is not billed meanwhile.',
    },
    archive,
  ),
  action(
    '/:id/unarchive',
    {
      allow: 'tenants.archive',
      message: 'Workspace opened again.',
      description: 'Opens an archived workspace to its users again.',
    },
    unarchive,
  ),
  action(
    '/:id/verify-owner',
    {
      allow: 'tenants.verify',
      message: 'Owner verified.',
      description: 'Vouches for the address of the owner, as if the mailed link had been opened.',
    },
    verifyOwner,
  ),
  get(
    '/:id/entitlements',
    {
      allow: 'tenants.read',
      description: 'Answers the modules that work in the workspace: the core, and those that are installed.',
      reply: Entitlements,
    },
    (ctx, { id }) => entitlements(ctx, id),
  ),
  get(
    '/:id/audit-logs',
    {
      allow: 'tenants.read',
      description: 'Answers a page of what was done to the workspace and by whom, the newest first.',
      query: auditLogs.query,
      page: AuditEntry,
    },
    async (ctx, { id, query }) => {
      await tenants.find(ctx, id)
      return auditLogs.page({ ...ctx, tenantId: id }, query)
    },
  ),
  post(
    '/:id/modules',
    {
      allow: 'module-subscriptions.create',
      record: lockWithModules,
      body: InstallModule,
      reply: Subscription,
      status: 201,
      summary: 'Install a module',
      message: 'Module installed.',
      description:
        'Installs a module in the workspace and subscribes to it, from today. What it requires must be installed before, and not be set to end.',
    },
    async (ctx, { record, body }) => {
      const installed = await install(ctx, record.id, body.module_id, body.billing_cycle)
      const { id: subscription_id, module_key, billing_cycle } = installed
      await audit(ctx, 'module_installed', { subscription_id, module_key, billing_cycle }, record.id)
      return installed as z.input<typeof Subscription>
    },
  ),
]
