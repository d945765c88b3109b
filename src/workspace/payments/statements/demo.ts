/** The last statement of the demo's account: what customers owe is there, named well or badly, beside rent and interest. */
import { createHash } from 'node:crypto'
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { asOf } from '#kernel/demo/stories.ts'
import { creditorReference } from '../online/credit-transfer.ts'
import { readStatements } from './camt.ts'
import { type SampleEntry, statementXml } from './samples.ts'
import { takeIn } from './statements.ts'

const IBAN = 'DE89370400440532013000'

const words = {
  en: { rent: ['Rent', 'City Properties'], interest: 'Interest', thanks: 'Thank you' },
  de: { rent: ['Miete', 'Stadtbau AG'], interest: 'Zinsen', thanks: 'Vielen Dank' },
} as const

/** Nothing of it is booked. */
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
  const read = readStatements(xml)
  if ('wrong' in read) throw new Error(`a sample can’t be read: ${read.wrong}`)
  const at = calendar.instant(calendar.days - 0.5 * random.next())!
  for (const one of read.statements)
    await takeIn(asOf(ctx, at, random.pick(people)), one, {
      name: 'camt053.xml',
      sha256: createHash('sha256').update(xml).digest('hex'),
    })
}
