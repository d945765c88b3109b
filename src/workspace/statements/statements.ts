/** Customer statements: opening balance, bookings of the period and open invoices, each per currency. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { findSubject } from '#kernel/modules/subjects.ts'
import { choice, date, formatted, money } from '#kernel/values/fields.ts'
import { decimal } from '#kernel/values/money.ts'
import { BUCKETS, bookingsIn, type Customer, KINDS, openAt, openingBalances } from './bookings.ts'

/** Maximum number of bookings in one statement. */
const MAX_ENTRIES = 2000

export const StatementQuery = z.object({
  from: date()
    .optional()
    .meta({ description: 'First day of the statement. Unless sent: a year before its last.', examples: ['2026-01-01'] }),
  to: date()
    .optional()
    .meta({ description: 'Last day of the statement. Unless sent: today.', examples: ['2026-12-31'] }),
})

const said = {
  not_due: 'What is left to pay and not due yet, or never.',
  days_1_30: 'What has been due for 1 to 30 days.',
  days_31_60: 'What has been due for 31 to 60 days.',
  days_61_90: 'What has been due for 61 to 90 days.',
  days_over_90: 'What has been due for more than 90 days.',
}
const sum = (description: string) => money().meta({ description, examples: [119] })

const Entry = z
  .object({
    type: choice(KINDS).describe('What was booked.'),
    id: z.int(),
    number: z.string(),
    date: date().describe('Day of the invoice or credit note, or on which the payment came.'),
    due_date: date().nullable().describe('Of an invoice: last day to pay without being overdue; null: none.'),
    reference: z
      .string()
      .nullable()
      .meta({ description: 'The payment’s reference, or the number of the buyer’s order; null: none.', examples: ['PO-4711'] }),
    amount: sum('What was booked: above 0 it is owed, below it takes from what is owed.'),
    balance: sum('What was owed behind it.'),
  })
  .meta({ id: 'StatementEntry' })

export const Statement = z
  .object({
    from: date().describe('First day of the statement.'),
    to: date().describe('Last day of the statement.'),
    currencies: z
      .array(
        z
          .object({
            currency: formatted('currency').meta({ description: 'The currency that it is about.', examples: ['EUR'] }),
            opening_balance: sum('What was owed before the first day; below 0: what the customer had good.'),
            entries: z.array(Entry).describe('What was booked, in its order.'),
            closing_balance: sum('What was owed at the end of the last day: that of `ageing`, less `unused`.'),
            ageing: z
              .object(
                Object.fromEntries(BUCKETS.map((bucket) => [bucket, sum(said[bucket])])) as Record<
                  keyof typeof said,
                  ReturnType<typeof money>
                >,
              )
              .describe('What was left to pay of invoices at the end of the last day, by how long it had been due.'),
            unused: sum('What the customer had paid, or was credited, and no invoice of theirs had used.'),
          })
          .meta({ id: 'StatementOfCurrency' }),
      )
      .describe('A statement for each currency in which there is anything to say.'),
  })
  .meta({ id: 'Statement' })
export type Stated = z.input<typeof Statement>

/**
 * Returns a customer's statement. 404 for a customer hidden from the caller; 403 for a caller who doesn't see every invoice,
 * because a statement must be complete. 422 on `from` after `to`, and for too many bookings.
 */
export async function statementOf(ctx: Ctx, customer: Customer, query: z.output<typeof StatementQuery>): Promise<Stated> {
  await findSubject(ctx, customer.by === 'company_id' ? 'company' : 'contact', customer.id)
  ctx.require('invoices.assign')
  if (ctx.entitled('credit-notes')) ctx.require('credit-notes.view')
  const to = query.to ?? ctx.today()
  const from = query.from ?? Temporal.PlainDate.from(to).subtract({ years: 1 }).add({ days: 1 }).toString()
  if (from > to) throw invalid({ from: 'Must not be after the last day of the statement.' })
  const opening = await openingBalances(ctx, customer, from)
  const booked = Map.groupBy(await bookingsIn(ctx, customer, from, to, MAX_ENTRIES + 1), ({ currency }) => currency)
  if ([...booked.values()].flat().length > MAX_ENTRIES)
    throw invalid({ from: `A statement holds ${MAX_ENTRIES} entries at most: ask for a shorter period.` })
  const open = new Map((await openAt(ctx, customer, to)).map((row) => [row.currency, row]))
  const isSome = (currency: string) => !decimal(opening.get(currency) ?? 0).eq(0) || booked.has(currency)
  const currencies = [...new Set([...opening.keys(), ...booked.keys()])].filter(isSome).sort()
  return {
    from,
    to,
    currencies: currencies.map((currency) => {
      const first = decimal(opening.get(currency) ?? 0)
      let balance = first
      const entries = (booked.get(currency) ?? []).map(({ kind, id, number, on, due_date, reference, amount }) => {
        balance = balance.plus(amount)
        return {
          type: kind,
          id,
          number,
          date: on,
          due_date,
          reference,
          amount: decimal(amount).toFixed(),
          balance: balance.toFixed(),
        }
      })
      const buckets = BUCKETS.map((bucket) => [bucket, decimal(open.get(currency)?.[bucket] ?? 0)] as const)
      const left = buckets.reduce((all, [, one]) => all.plus(one), decimal(0))
      return {
        currency,
        opening_balance: first.toFixed(),
        entries,
        closing_balance: balance.toFixed(),
        ageing: Object.fromEntries(buckets.map(([bucket, one]) => [bucket, one.toFixed()])) as never,
        unused: left.minus(balance).toFixed(),
      }
    }),
  }
}
