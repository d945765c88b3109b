import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { requestSync } from '../sync/jobs.ts'
import { accountList, accounts, createAccount, makeDefault, removeAccount, testConnection, updateAccount } from './accounts.ts'
import { Account, ConnectionTest, CreateAccount } from './schema.ts'

const { get, post, put, del, multiTransaction } = workspace
const view = 'email.view'
const manage = 'email.accounts.manage'
const found = { record: accounts.lock, reply: Account }

/** A test signs in to a server with a password: the limit prevents password guessing. */
const tests = limiter({ name: 'email-account-test', points: 20, seconds: 60, by: 'user' })

export const accountRoutes = [
  get('/accounts', { allow: view, query: accountList.query, page: Account }, (ctx, { query }) => accountList.page(ctx, query)),
  post(
    '/accounts',
    { allow: manage, grants: true, body: CreateAccount, reply: Account, status: 201, message: 'Account connected.' },
    async (ctx, { body }) => accounts.show(ctx, (await createAccount(ctx, body)).uuid),
  ),
  multiTransaction.post(
    '/accounts/test',
    {
      operation: 'testEmailAccount',
      description: 'Signs in at both servers with what is sent and answers whether that goes. Nothing is stored.',
      summary: 'Try the servers of an email account',
      allow: manage,
      grants: false,
      limit: tests,
      body: CreateAccount,
      reply: ConnectionTest,
      message: 'Both servers let you in.',
      notIdempotent: true,
    },
    (steps, { body }) => testConnection(steps, body),
  ),
  get('/accounts/:uuid', { allow: view, reply: Account }, (ctx, { uuid }) => accounts.show(ctx, uuid)),
  put(
    '/accounts/:uuid',
    {
      ...found,
      allow: manage,
      grants: true,
      body: changesOf(CreateAccount),
      message: 'Account saved.',
      description:
        'Changes the fields of the account that are sent and keeps all others. A stored password stays too, but with the server that it was sent for: where another one is named, or encryption is given up, the password must be sent with it (422 on the password).',
    },
    async (ctx, { uuid, record, body }) => {
      await updateAccount(ctx, record, body)
      return accounts.show(ctx, uuid)
    },
  ),
  del(
    '/accounts/:uuid',
    {
      allow: manage,
      grants: true,
      record: accounts.lock,
      message: 'Account disconnected.',
      description: 'Disconnects the mailbox and removes what was read of it here. Nothing is deleted on its server.',
    },
    async (ctx, { record }) => removeAccount(ctx, record),
  ),
  post(
    '/accounts/:uuid/sync',
    {
      ...found,
      allow: manage,
      grants: false,
      message: 'Synchronisation queued.',
      description: 'Reads the mailbox as soon as possible, whatever its interval.',
    },
    async (ctx, { uuid, record }) => {
      await requestSync(ctx, record.id)
      return accounts.show(ctx, uuid)
    },
  ),
  post(
    '/accounts/:uuid/default',
    {
      operation: 'makeEmailAccountDefault',
      description: 'Makes this the account that new messages are written from.',
      summary: 'Make an email account the default',
      ...found,
      allow: manage,
      grants: true,
      message: 'This is the default account.',
    },
    async (ctx, { uuid, record }) => {
      await makeDefault(ctx, record)
      return accounts.show(ctx, uuid)
    },
  ),
]
