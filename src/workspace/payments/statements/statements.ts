/** Bank statements: read in a child process, each entry taken once, whichever file tells of it. */
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { filter, listing, workspaceTable } from '#kernel/records/listing.ts'
import { readByIds, readOne } from '#kernel/records/view.ts'
import type { Upload, UploadRule } from '#kernel/storage/uploads.ts'
import { decimal } from '#kernel/values/money.ts'
import type { readStatements, StatementData } from './camt.ts'
import { proposalsFor } from './proposals.ts'
import { BankStatement, BankTransaction, STATUSES } from './schema.ts'

export const statementFile: UploadRule = {
  maxBytes: 20 * 1024 * 1024,
  kinds: ['', 'xml'],
  expected: 'a bank statement in CAMT.053 (XML)',
  tooLarge: 422,
}

export const statementList = listing(workspaceTable('bank_statements', BankStatement), {
  sorts: ['created_at', 'to_date'],
  filters: { account: filter.text('account') },
  hardDeleted: true,
})

export const transactionList = listing(workspaceTable('bank_transactions', BankTransaction), {
  sorts: ['created_at', 'booked_on'],
  filters: { bank_statement_id: filter.id('bank_statement_id'), status: filter.oneOf('status', STATUSES) },
  hardDeleted: true,
})

const read = isolated<typeof readStatements>(import.meta.resolve('./camt.ts'), 'readStatements', { seconds: 30, megabytes: 700 })

/** The statements of a file and how many of their entries are new. 422 on `file` where it can't be read. */
export async function receiveStatements(steps: WorkspaceSteps, file: Upload | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  const content = await steps.services.storage.read(file.key)
  if (!content) throw notFound('There is no such file.')
  const outcome = await read(steps.services, steps.tenant.id, await buffer(content)).catch((error) => {
    throw isBeyondReading(error) ? invalid({ file: 'Is more than can be read.' }) : error
  })
  if ('wrong' in outcome) throw invalid({ file: outcome.wrong })
  const { statements } = outcome
  return steps.finish(async (ctx) => {
    const taken = []
    for (const one of statements) taken.push(await takeIn(ctx, one, file))
    return {
      statements: await readByIds(
        ctx,
        BankStatement,
        'bank_statements',
        taken.map(({ id }) => id),
      ),
      entries: statements.reduce((sum, { entries }) => sum + entries.length, 0),
      new_entries: taken.reduce((sum, one) => sum + one.made, 0),
    }
  })
}

/** The statement, this one or that which was here before, and how many of its entries are new. */
export async function takeIn(
  ctx: Ctx,
  { entries, pending, ...statement }: StatementData,
  file: Pick<Upload, 'name' | 'sha256'>,
): Promise<{ id: number; made: number }> {
  const counted = { entries: entries.length, new_entries: 0, pending_entries: pending }
  const stamps = { created_at: ctx.now, updated_at: ctx.now }
  const row = await ctx.tx
    .insertInto('bank_statements')
    .values({
      ...{ tenant_id: ctx.tenant.id, ...statement, ...counted, ...stamps },
      ...{ file_name: file.name, sha256: file.sha256, created_by: ctx.actor.id },
    })
    .onConflict((conflict) => conflict.constraint('bank_statements_once').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) {
    const before = await ctx
      .from('bank_statements')
      .select('id')
      .where('account', '=', statement.account)
      .where('reference', '=', statement.reference)
      .where('sha256', '=', file.sha256)
      .executeTakeFirstOrThrow()
    return { id: before.id, made: 0 }
  }
  const rows = entries.map((entry) => ({
    ...entry,
    status: decimal(entry.amount).gt(0) ? 'open' : 'outgoing',
    ...{ tenant_id: ctx.tenant.id, bank_statement_id: row.id, ...stamps },
  }))
  // In one order, so that two files with the same entries don't wait for each other.
  rows.sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
  const { rows: inserted } = await sql<{ made: number }>`
    with made as (
      insert into bank_transactions (${sql.join(COLUMNS.map((column) => sql.ref(column)))})
      select ${sql.join(COLUMNS.map((column) => sql.ref(`given.${column}`)))}
      from json_populate_recordset(null::bank_transactions, ${JSON.stringify(rows)}::json) given
      on conflict on constraint bank_transactions_once do nothing
      returning 1)
    select count(*)::int as made from made`.execute(ctx.tx)
  const { made } = inserted[0]!
  await ctx.update('bank_statements').set({ new_entries: made }).where('id', '=', row.id).execute()
  return { id: row.id, made }
}

const COLUMNS = [
  ...['tenant_id', 'bank_statement_id', 'fingerprint', 'status', 'booked_on', 'value_date', 'amount', 'currency', 'is_reversal'],
  ...['counterparty_name', 'counterparty_iban', 'remittance', 'creditor_reference', 'end_to_end_id', 'bank_reference'],
  ...['instructed_amount', 'instructed_currency', 'created_at', 'updated_at'],
]

const named = (ctx: Ctx, table: string, id: number) =>
  sql<boolean>`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id} and ${sql.ref(`${table}.id`)} = ${id}`

/** 404 outside the workspace, as the next one. */
export const showStatement = (ctx: Ctx, id: number) =>
  readOne(ctx, BankStatement, 'bank_statements', named(ctx, 'bank_statements', id), { noun: 'bank statement' })

/** With what it may pay, as long as it waits. */
export async function showTransaction(ctx: Ctx, id: number) {
  const shown = await readOne(ctx, BankTransaction, 'bank_transactions', named(ctx, 'bank_transactions', id), {
    noun: 'bank transaction',
  })
  const row = await ctx.from('bank_transactions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const found = row.status === 'open' ? (await proposalsFor(ctx, [row])).get(id)! : { certain: [], suggested: [] }
  return { ...JSON.parse(shown.text), ...found }
}
