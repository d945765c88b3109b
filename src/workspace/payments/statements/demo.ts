/** The demo bank's CSV mapping and latest statement: payments of open invoices with good or bad references, rent and interest. */
import { createHash } from 'node:crypto'
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { asOf } from '#kernel/demo/stories.ts'
import { creditorReference } from '../online/credit-transfer.ts'
import { readCamt } from './camt.ts'
import { type SampleEntry, statementXml } from './samples.ts'
import { takeIn } from './statements.ts'

const IBAN = 'DE89370400440532013000'

const words = {
  en: { rent: ['Rent', 'City Properties'], interest: 'Interest', thanks: 'Thank you' },
  de: { rent: ['Miete', 'Stadtbau AG'], interest: 'Zinsen', thanks: 'Vielen Dank' },
} as const

/** None of it is booked. */
export async function fillStatement(ctx: Ctx, { calendar, people, random, say }: Plan) {
  const owed = await ctx
    .from('invoices')
    .select(['number', 'balance_due', 'currency'])
    .where('status', '=', 'unpaid')
    .where('deleted_at', 'is', null)
    .where('currency', '=', ctx.tenant.currency)
    .orderBy('id', 'desc')
    .limit(6)
    .execute()
  const said = say<{ rent: readonly [string, string]; interest: string; thanks: string }>(words)
  const entries = owed.map(({ number, balance_due }, n): SampleEntry => {
    const amount = Number(balance_due).toFixed(2)
    if (n % 3 === 0) return { amount, text: `${number} ${said.thanks}` }
    return n % 3 === 1 ? { amount, reference: creditorReference(number) } : { amount, text: said.thanks }
  })
  const others = [
    { amount: '-1850.00', text: said.rent[0], name: said.rent[1] },
    { amount: '0.42', text: said.interest },
  ]
  const day = calendar.days - 1
  const file = {
    id: 'S-225',
    holder: ctx.tenant.name,
    iban: IBAN,
    currency: ctx.tenant.currency,
    day: calendar.date(day),
    entries: [...entries, ...others],
  }
  const xml = Buffer.from(statementXml(file))
  const at = calendar.instant(calendar.days - 0.5 * random.next())!
  for (const one of readCamt(xml))
    await takeIn(asOf(ctx, at, random.pick(people)), one, {
      name: 'camt053.xml',
      sha256: createHash('sha256').update(xml).digest('hex'),
    })
}

/** Creates the CSV mapping of the demo's bank. */
export async function fillCsvMapping(ctx: Ctx, { calendar, say }: Plan) {
  const at = calendar.instant(0)!
  const columns = say({
    en: {
      ...{
        booked_on_column: 'Booking date',
        value_date_column: 'Value date',
        amount_column: 'Amount',
        currency_column: 'Currency',
      },
      ...{ counterparty_name_column: 'Name', counterparty_iban_column: 'IBAN', remittance_column: 'Reference' },
    },
    de: {
      ...{
        booked_on_column: 'Buchungstag',
        value_date_column: 'Valutadatum',
        amount_column: 'Betrag',
        currency_column: 'Waehrung',
      },
      ...{ counterparty_name_column: 'Beguenstigter/Zahlungspflichtiger', counterparty_iban_column: 'Kontonummer/IBAN' },
      ...{ remittance_column: 'Verwendungszweck' },
    },
  })
  await ctx.tx
    .insertInto('bank_csv_mappings')
    .values({
      tenant_id: ctx.tenant.id,
      name: say({ en: 'House bank', de: 'Hausbank' }),
      ...{ encoding: 'auto', delimiter: 'semicolon', header_row: 1, decimal_sign: 'comma', date_order: 'dmy', account: IBAN },
      ...columns,
      created_at: at,
      updated_at: at,
    })
    .execute()
}
