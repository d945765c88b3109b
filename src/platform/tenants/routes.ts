import type { z } from 'zod'
import { platform } from '#kernel/http/route.ts'
import { picture } from '#kernel/storage/images.ts'
import { install } from './installation.ts'
import { CreateTenant, Entitlements, InstallModule, Subscription, Tenant, TenantDetail, UpdateTenant } from './schema.ts'
import { createTenant, entitlements, lockTenant, showTenant, tenantList, updateTenant, verifyOwner } from './tenants.ts'

const { get, post, put, patch, inSteps } = platform

const upload = { logo: picture(2 * 1024 * 1024) }
const update = {
  allow: 'tenants.update',
  record: lockTenant,
  body: UpdateTenant,
  reply: TenantDetail,
  upload,
  message: 'Workspace saved.',
} as const

export default [
  get('/', { allow: 'tenants.list', query: tenantList.query, page: Tenant }, (ctx, { query }) => tenantList.page(ctx, query)),
  inSteps.post(
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
  get('/:id', { allow: 'tenants.read', reply: TenantDetail }, (ctx, { id }) => showTenant(ctx, id)),
  put('/:id', update, (ctx, { record, body, files }) => updateTenant(ctx, record, body, files.logo)),
  patch('/:id', update, (ctx, { record, body, files }) => updateTenant(ctx, record, body, files.logo)),
  post(
    '/:id/verify-owner',
    { allow: 'tenants.verify', record: lockTenant, reply: TenantDetail, message: 'Owner verified.' },
    (ctx, { record }) => verifyOwner(ctx, record),
  ),
  get('/:id/entitlements', { allow: 'tenants.read', reply: Entitlements }, (ctx, { id }) => entitlements(ctx, id)),
  post(
    '/:id/modules',
    {
      allow: 'module-subscriptions.create',
      record: lockTenant,
      body: InstallModule,
      reply: Subscription,
      status: 201,
      message: 'Module installed.',
    },
    async (ctx, { record, body }) =>
      (await install(ctx, record.id, body.module_id, body.billing_cycle)) as z.input<typeof Subscription>,
  ),
]
