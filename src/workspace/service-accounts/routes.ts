import { keyRoutes } from '#kernel/auth/keys/routes.ts'
import type { Ctx } from '#kernel/context.ts'
import { action, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace, writtenInPerson } from '#kernel/http/route.ts'
import { CreateServiceAccount, ServiceAccount, UpdateServiceAccount } from './schema.ts'
import {
  accountList,
  createAccount,
  deleteAccount,
  keyOwner,
  restoreAccount,
  serviceAccounts,
  suspend,
  unsuspend,
  updateAccount,
} from './service-accounts.ts'

const allow = 'service-accounts.manage'

export default writtenInPerson([
  workspace.post(
    '/',
    { allow, body: CreateServiceAccount, reply: ServiceAccount, status: 201, message: 'Service account created.' },
    async (ctx, { body }) => serviceAccounts.renderUnscoped(ctx, (await createAccount(ctx, body)).id),
  ),
  ...recordRoutes(serviceAccounts, {
    list: accountList,
    changes: UpdateServiceAccount,
    update: updateAccount,
    remove: deleteAccount,
    restore: restoreAccount,
    force: false,
  }),
  action(serviceAccounts, '/:id/suspend', { allow, message: 'Service account suspended.' }, suspend),
  action(serviceAccounts, '/:id/unsuspend', { allow, message: 'Suspension lifted.' }, unsuspend),
  ...keyRoutes(workspace as never, {
    at: '/:id/keys',
    access: { allow },
    ownerOf: (ctx, id) => keyOwner(ctx as unknown as Ctx, id),
  }),
])
