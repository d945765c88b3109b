import { keyRoutes } from '#kernel/auth/keys/routes.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { platform, type Route, writtenInPerson } from '#kernel/http/route.ts'
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
type Account = Awaited<ReturnType<typeof serviceAccounts.find>>

/** A POST that does something with an account, found and locked, and answers it. */
const action = (
  path: `/:id/${string}`,
  message: string,
  verb: (ctx: PlatformCtx, account: Account) => Promise<unknown>,
  record = serviceAccounts.lock,
): Route =>
  post(path, { allow, record, reply: ServiceAccount, message }, async (ctx, { record }) => {
    await verb(ctx, record)
    return serviceAccounts.shown(ctx, record.id)
  })

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
  action('/:id/restore', 'Service account restored.', restoreAccount, serviceAccounts.lockAny),
  action('/:id/suspend', 'Service account suspended.', suspend),
  action('/:id/unsuspend', 'Suspension lifted.', unsuspend),
  ...keyRoutes(platform, {
    at: '/:id/keys',
    access: { allow },
    ownerOf: (ctx, id) => keyOwner(ctx as unknown as PlatformCtx, id),
  }),
])
