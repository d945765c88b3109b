import { keyRoutes } from '#kernel/auth/keys/routes.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { actionsOn } from '#kernel/http/platform-actions.ts'
import { platform, writtenInPerson } from '#kernel/http/route.ts'
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

const { get, post, put, del } = platform
const allow = 'service-accounts.manage'
const action = actionsOn(serviceAccounts)

export default writtenInPerson([
  get('/', { allow, query: accountList.query, page: ServiceAccount }, (ctx, { query }) => accountList.page(ctx, query)),
  post(
    '/',
    { allow, body: CreateServiceAccount, reply: ServiceAccount, status: 201, message: 'Service account created.' },
    (ctx, { body }) => createAccount(ctx, body),
  ),
  get('/:id', { allow, reply: ServiceAccount }, (ctx, { id }) => serviceAccounts.show(ctx, id)),
  put(
    '/:id',
    { allow, record: serviceAccounts.lock, body: UpdateServiceAccount, reply: ServiceAccount, message: 'Service account saved.' },
    async (ctx, { record, body }) => {
      await updateAccount(ctx, record, body)
      return serviceAccounts.shown(ctx, record.id)
    },
  ),
  del('/:id', { allow, record: serviceAccounts.lock, message: 'Service account deleted.' }, (ctx, { record }) =>
    deleteAccount(ctx, record),
  ),
  action('/:id/restore', { allow, record: serviceAccounts.lockAny, message: 'Service account restored.' }, restoreAccount),
  action('/:id/suspend', { allow, message: 'Service account suspended.' }, suspend),
  action('/:id/unsuspend', { allow, message: 'Suspension lifted.' }, unsuspend),
  ...keyRoutes(platform, {
    at: '/:id/keys',
    access: { allow },
    ownerOf: (ctx, id) => keyOwner(ctx as unknown as PlatformCtx, id),
  }),
])
