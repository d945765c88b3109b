/** Routes of bank statements and their transactions. */
import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import mappingRoutes from './csv-mappings.ts'
import { ignore, lockTransaction, match, matchCertain, proposalsOf, unmatch } from './matching.ts'
import {
  BankStatement,
  BankTransaction,
  BankTransactionDetail,
  MatchedStatement,
  MatchTransaction,
  Proposals,
  ReadBankStatements,
  ReadStatements,
} from './schema.ts'
import { receiveStatements, showStatement, showTransaction, statementFile, statementList, transactionList } from './statements.ts'

const { get, post, multiTransaction } = workspace
const allow = 'payments.reconcile'
const changing = { allow, record: lockTransaction, reply: BankTransactionDetail } as const

export default [
  get('/bank-statements', { allow, query: statementList.query, page: BankStatement }, (ctx, { query }) =>
    statementList.page(ctx, query),
  ),
  multiTransaction.post(
    '/bank-statements',
    {
      allow,
      grants: false,
      body: ReadBankStatements,
      upload: { file: { ...statementFile, required: true } },
      reply: ReadStatements,
      status: 201,
      message: 'Bank statements read.',
      limit: limiter({ name: 'bank-statements', points: 30, seconds: 60, by: 'user' }),
      operation: 'readBankStatements',
      summary: 'Read bank statements in',
      description:
        'Takes a file in CAMT.053, CAMT.052 or CAMT.054 (ISO 20022) or in MT940, in CSV by a mapping, or a ZIP of several, and its booked entries, each once, whichever file tells of it. Nothing is booked yet. 422 on `file` where it can’t be read.',
    },
    (steps, { body, files }) => receiveStatements(steps, files.file, body.mapping_id),
  ),
  get('/bank-statements/:id', { allow, reply: BankStatement }, (ctx, { id }) => showStatement(ctx, id)),
  get(
    '/bank-statements/:id/proposals',
    {
      allow,
      reply: Proposals,
      operation: 'proposeMatches',
      summary: 'Propose what transactions pay',
      description:
        'Answers which invoices the first 200 open transactions of a statement pay: those that are certain, and suggestions, apart.',
    },
    async (ctx, { id }) => {
      await showStatement(ctx, id)
      return proposalsOf(ctx, id)
    },
  ),
  post(
    '/bank-statements/:id/match',
    {
      allow,
      grants: false,
      reply: MatchedStatement,
      message: 'Certain matches booked.',
      operation: 'matchBankStatement',
      summary: 'Book the certain matches of a statement',
      description:
        'Posts a payment for each of the first 200 open transactions that pays invoices for certain. Call it again while `has_more`.',
    },
    async (ctx, { id }) => {
      await showStatement(ctx, id)
      return { matched: await matchCertain(ctx, id), proposals: await proposalsOf(ctx, id) }
    },
  ),
  get('/bank-transactions', { allow, query: transactionList.query, page: BankTransaction }, (ctx, { query }) =>
    transactionList.page(ctx, query),
  ),
  get('/bank-transactions/:id', { allow, reply: BankTransactionDetail }, (ctx, { id }) => showTransaction(ctx, id)),
  post(
    '/bank-transactions/:id/match',
    {
      grants: false,
      ...changing,
      body: MatchTransaction,
      message: 'Transaction matched.',
      description:
        'Posts the payment of an open transaction over the invoices that are sent, or else over those that it pays for certain. With `payment_id` it takes a payment that was posted by hand.',
    },
    async (ctx, { id, record, body }) => {
      await match(ctx, record, body)
      return showTransaction(ctx, id)
    },
  ),
  post(
    '/bank-transactions/:id/unmatch',
    {
      grants: false,
      ...changing,
      message: 'Transaction unmatched.',
      description: 'Voids the payment of a matched transaction, which needs `payments.void`, and lets it wait again.',
    },
    async (ctx, { id, record }) => {
      await unmatch(ctx, record)
      return showTransaction(ctx, id)
    },
  ),
  post(
    '/bank-transactions/:id/ignore',
    {
      grants: false,
      ...changing,
      message: 'Transaction ignored.',
      description: 'Leaves an open transaction alone: it is no payment of an invoice.',
    },
    async (ctx, { id, record }) => {
      await ignore(ctx, record, true)
      return showTransaction(ctx, id)
    },
  ),
  post(
    '/bank-transactions/:id/reopen',
    {
      grants: false,
      ...changing,
      message: 'Transaction reopened.',
      description: 'Lets a transaction wait again that was left alone.',
    },
    async (ctx, { id, record }) => {
      await ignore(ctx, record, false)
      return showTransaction(ctx, id)
    },
  ),
  ...mappingRoutes,
]
