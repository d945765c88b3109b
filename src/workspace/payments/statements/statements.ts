/** Bank statements: read in a child process, each entry taken once, whichever file tells of it. */
import { buffer } from 'node:stream/consumers'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { filter, listing, workspaceTable } from '#kernel/records/listing.ts'
import { readByIds, readOne } from '#kernel/records/view.ts'
import type { Upload, UploadRule } from '#kernel/storage/uploads.ts'
import { decimal } from '#kernel/values/money.ts'
import { isAnotherStatement, type Outline } from './another-statement.ts'
import { csvMappingOf, TEXT_KINDS } from './csv-mappings.ts'
import { proposalsFor } from './proposals.ts'
import type { readStatementFile } from './read-statements.ts'
import { byEntry, type Known, recognised } from './recognition.ts'
import { linkReturnsOf } from './returns.ts'
import { BankStatement, BankTransaction, STATUSES } from './schema.ts'
import { type EntryData, fingerprintOf, type StatementData } from './statement-data.ts'

export const statementFile: UploadRule = {
  maxBytes: 20 * 1024 * 1024,
  kinds: [...TEXT_KINDS, 'xml', 'zip'],
  expected: 'a bank statement: CAMT (XML), MT940, CSV, or a ZIP of them',
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

const read = isolated<typeof readStatementFile>(import.meta.resolve('./read-statements.ts'), 'readStatementFile', {
  seconds: 30,
  megabytes: 700,
})

/** The statements of a file and how many of their entries are new. 422 on `file` where it can't be read. */
export async function receiveStatements(steps: WorkspaceSteps, file: Upload | undefined, mappingId: number | null | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  const mapping = mappingId == null ? undefined : await steps.read((ctx) => csvMappingOf(ctx, mappingId))
  const content = await steps.services.storage.read(file.key)
  if (!content) throw notFound('There is no such file.')
  const outcome = await read(steps.services, steps.tenant.id, { content: await buffer(content), mapping }).catch((error) => {
    throw isBeyondReading(error) ? invalid({ file: 'Is more than can be read.' }) : error
  })
  if ('wrong' in outcome) throw invalid({ file: outcome.wrong })
  const { documents } = outcome
  return steps.finish(async (ctx) => {
    const taken = []
    for (const { name, sha256, statements } of documents)
      for (const one of statements) taken.push(await takeIn(ctx, one, { name: name ?? file.name, sha256 }))
    return {
      statements: await readByIds(ctx, BankStatement, 'bank_statements', [...new Set(taken.map(({ id }) => id))]),
      entries: documents.flatMap(({ statements }) => statements).reduce((sum, { entries }) => sum + entries.length, 0),
      new_entries: taken.reduce((sum, one) => sum + one.made, 0),
      skipped_rows: documents.reduce((sum, { skippedRows }) => sum + skippedRows, 0),
    }
  })
}

/** Lets the files of a workspace be taken in one after the other: two that overlap must see each other's entries. */
const lockStatements = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended('bank statements', ${ctx.tenant.id}))`.execute(ctx.tx)

/** The statement, this one or that which was here before, and how many of its entries are new. */
export async function takeIn(
  ctx: Ctx,
  { entries, pending, ...statement }: StatementData,
  file: Pick<Upload, 'name' | 'sha256'>,
): Promise<{ id: number; made: number }> {
  await lockStatements(ctx)
  const counted = { entries: entries.length, new_entries: 0, pending_entries: pending }
  const row = await ctx.tx
    .insertInto('bank_statements')
    .values({
      ...{ tenant_id: ctx.tenant.id, ...statement, ...counted, created_at: ctx.now, updated_at: ctx.now },
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
  const { fresh, completed, further, repeated } = await compare(ctx, statement, entries)
  await complete(ctx, completed)
  await repeat(ctx, row.id, repeated)
  await insert(ctx, further)
  const made = await insert(
    ctx,
    fresh.map((entry) => ({ ...entry, bank_statement_id: row.id })),
  )
  await ctx.update('bank_statements').set({ new_entries: made }).where('id', '=', row.id).execute()
  await linkReturnsOf(ctx, row.id)
  return { id: row.id, made }
}

type NewTransaction = EntryData & { bank_statement_id: number }

interface Compared {
  /** Transactions that no file has brought yet. */
  fresh: EntryData[]
  /** Known transactions that this file tells more of, as they are then. */
  completed: (EntryData & { id: number })[]
  /** Further parts of a known entry that had come as a whole. */
  further: NewTransaction[]
  /** Ids of the known transactions that the file brings again. */
  repeated: number[]
}

/** Divides the entries of a file into new ones and those that another file has brought. */
async function compare(ctx: Ctx, statement: Outline & { account: string }, entries: EntryData[]): Promise<Compared> {
  const { numbered, known } = await numberedAmong(ctx, statement, entries)
  const all = byEntry(numbered)
  const before = new Map(known.map((one) => [one.fingerprint, one]))
  const isKnown = ({ fingerprint }: EntryData) => before.has(fingerprint)
  const fingerprints = new Set(numbered.filter(isKnown).map(({ fingerprint }) => fingerprint))
  const unknown = all.filter((parts) => !parts.some(isKnown))
  const others = known.filter(({ fingerprint }) => !fingerprints.has(fingerprint))
  const found = recognised(statement.format, unknown, others)
  const compared: Compared = { fresh: [], completed: [], further: [], repeated: [] }
  compared.repeated.push(...[...fingerprints].map((one) => before.get(one)!.id))
  for (const parts of all) {
    const same = found.get(parts)
    if (!same) {
      compared.fresh.push(...parts.filter((part) => !isKnown(part)))
      continue
    }
    compared.repeated.push(...same.map(({ id }) => id))
    if (same.length === 1 && isUnmatched(same[0]!)) {
      const { id, bank_statement_id } = same[0]!
      const entry_index = same[0]!.entry_index ?? parts[0]!.entry_index
      compared.completed.push({ ...parts[0]!, id, entry_index })
      compared.further.push(...parts.slice(1).map((part) => ({ ...part, bank_statement_id, entry_index })))
    }
  }
  return compared
}

/**
 * The entries with their numbers among those alike, and the known transactions that they may be. An entry takes the next number whose transaction isn't of
 * another statement, or that no transaction has.
 */
async function numberedAmong(ctx: Ctx, statement: Outline & { account: string }, entries: EntryData[]) {
  const known = new Map<number, Known>()
  const add = (rows: Known[]) => {
    for (const one of rows) known.set(one.id, one)
  }
  add(await knownOf(ctx, statement, sameDaysAndAmounts(entries)))
  const looked = new Set<string>()
  for (;;) {
    const numbered = numberedBeside(entries, [...known.values()])
    const unseen = numbered.map(({ fingerprint }) => fingerprint).filter((one) => !looked.has(one))
    for (const one of unseen) looked.add(one)
    const rows = unseen.length ? await knownOf(ctx, statement, sql`t.fingerprint = any(${unseen}::text[])`) : []
    if (rows.every(({ id }) => known.has(id))) return { numbered, known: [...known.values()] }
    add(rows)
  }
}

function numberedBeside(entries: EntryData[], known: Known[]): EntryData[] {
  const holders = new Map(known.map((one) => [one.fingerprint, one]))
  const next = new Map<string, number>()
  return entries.map((entry) => {
    // By the bank's own reference an entry is the same, whatever statement had it.
    const isTaken = (fingerprint: string) => entry.bank_reference === null && !!holders.get(fingerprint)?.isOfAnother
    let nth = next.get(entry.identity) ?? 0
    let fingerprint = fingerprintOf(entry.identity, nth)
    while (isTaken(fingerprint)) fingerprint = fingerprintOf(entry.identity, ++nth)
    next.set(entry.identity, nth + 1)
    return { ...entry, fingerprint }
  })
}

const isUnmatched = ({ status, payment_id }: Known) => payment_id === null && (status === 'open' || status === 'outgoing')

const unique = <T>(values: T[]) => [...new Set(values)]

const sameDaysAndAmounts = (entries: EntryData[]) =>
  sql`t.booked_on = any(${unique(entries.map(({ booked_on }) => booked_on))}::date[])
    and coalesce(t.entry_amount, t.amount) = any(${unique(entries.map(({ entry_amount }) => entry_amount))}::numeric[])`

/** Transactions of the account by a condition. */
async function knownOf(ctx: Ctx, statement: Outline & { account: string }, condition: RawBuilder<unknown>): Promise<Known[]> {
  const { rows } = await sql<Omit<Known, 'isOfAnother'> & { statement_ids: number[] }>`
    select t.id, t.bank_statement_id, t.fingerprint, t.status, t.booked_on, t.amount, t.currency, t.entry_index, t.entry_amount, t.entry_reference,
      t.counterparty_name, t.counterparty_iban, t.remittance, t.end_to_end_id, t.bank_reference, t.payment_id, s.format,
      to_json(array_prepend(t.bank_statement_id, t.further_statement_ids)) as statement_ids
    from bank_transactions t join bank_statements s on s.tenant_id = ${ctx.tenant.id} and s.id = t.bank_statement_id
    where t.tenant_id = ${ctx.tenant.id} and s.account = ${statement.account} and ${condition}
    order by t.id`.execute(ctx.tx)
  const others = await othersThan(ctx, statement, unique(rows.flatMap(({ statement_ids }) => statement_ids)))
  return rows.map(({ statement_ids, ...one }) => ({ ...one, isOfAnother: statement_ids.some((id) => others.has(id)) }))
}

/** Ids of the statements that are different ones of the bank. */
async function othersThan(ctx: Ctx, statement: Outline, ids: number[]): Promise<Set<number>> {
  if (!ids.length) return new Set()
  const rows = await ctx
    .from('bank_statements')
    .select(['id', 'format', 'reference', 'currency', 'sequence', 'from_date', 'to_date', 'opening_balance', 'closing_balance'])
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute()
  return new Set(rows.filter((one) => isAnotherStatement(one, statement)).map(({ id }) => id))
}

/** Maximum number of later statements that are stored with a transaction. */
const MAX_FURTHER_STATEMENTS = 100

/** Stores which known transactions a statement brings again. Formats without evidence of another statement are left out. */
async function repeat(ctx: Ctx, statementId: number, ids: number[]) {
  if (!ids.length) return
  await sql`
    update bank_transactions t set further_statement_ids = t.further_statement_ids || s.id
    from bank_statements s
    where t.tenant_id = ${ctx.tenant.id} and t.id = any(${ids}::bigint[]) and s.tenant_id = ${ctx.tenant.id} and s.id = ${statementId}
      and s.format in ('camt.053', 'camt.052', 'mt940') and cardinality(t.further_statement_ids) < ${MAX_FURTHER_STATEMENTS}
      and not exists (select from bank_statements o where o.tenant_id = ${ctx.tenant.id}
        and o.id = any(t.bank_statement_id || t.further_statement_ids) and o.format = s.format
        and (o.reference, o.sequence, o.from_date, o.to_date, o.opening_balance, o.closing_balance)
          is not distinct from (s.reference, s.sequence, s.from_date, s.to_date, s.opening_balance, s.closing_balance))`.execute(
    ctx.tx,
  )
}

const statusOf = (amount: string) => (decimal(amount).gt(0) ? 'open' : 'outgoing')

/** Takes over what a later file tells of transactions that aren't matched: texts and parties that they lack, and the parts of a batch. */
async function complete(ctx: Ctx, completed: Compared['completed']) {
  if (!completed.length) return
  const rows = completed.map(({ identity: _, ...one }) => ({ ...one, status: statusOf(one.amount) }))
  await sql`
    update bank_transactions t set
      amount = given.amount, status = given.status, entry_index = given.entry_index, entry_amount = given.entry_amount,
      fingerprint = case when t.amount = given.amount then t.fingerprint else given.fingerprint end,
      is_reversal = t.is_reversal or given.is_reversal,
      ${sql.join(ADDED.map((column) => sql`${sql.ref(column)} = coalesce(${sql.ref(`t.${column}`)}, ${sql.ref(`given.${column}`)})`))},
      updated_at = ${ctx.now}
    from json_populate_recordset(null::bank_transactions, ${JSON.stringify(rows)}::json) given
    where t.tenant_id = ${ctx.tenant.id} and t.id = given.id`.execute(ctx.tx)
}

/** Number of transactions that were made: those whose fingerprint is known are left out. */
async function insert(ctx: Ctx, transactions: NewTransaction[]): Promise<number> {
  if (!transactions.length) return 0
  const rows = transactions.map(({ identity: _, ...one }) => ({
    ...{ ...one, status: statusOf(one.amount), tenant_id: ctx.tenant.id },
    ...{ created_at: ctx.now, updated_at: ctx.now },
  }))
  const { rows: inserted } = await sql<{ made: number }>`
    with made as (
      insert into bank_transactions (${sql.join(COLUMNS.map((column) => sql.ref(column)))})
      select ${sql.join(COLUMNS.map((column) => sql.ref(`given.${column}`)))}
      from json_populate_recordset(null::bank_transactions, ${JSON.stringify(rows)}::json) given
      on conflict on constraint bank_transactions_once do nothing
      returning 1)
    select count(*)::int as made from made`.execute(ctx.tx)
  return inserted[0]!.made
}

/** Columns that a later file may fill. */
const ADDED = [
  ...[
    'entry_reference',
    'value_date',
    'bank_charges',
    'return_reason',
    'return_information',
    'counterparty_name',
    'counterparty_iban',
  ],
  ...['remittance', 'creditor_reference', 'end_to_end_id', 'bank_reference', 'instructed_amount', 'instructed_currency'],
]

const COLUMNS = [
  ...['tenant_id', 'bank_statement_id', 'fingerprint', 'status', 'booked_on', 'amount', 'currency', 'is_reversal'],
  ...['entry_index', 'entry_amount', ...ADDED, 'created_at', 'updated_at'],
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
