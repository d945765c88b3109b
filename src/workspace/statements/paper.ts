/** Print model of a statement, in its customer's languages. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { localDay } from '#kernel/values/written.ts'
import { drawingOf, printed, recipientOf, stationeryOf } from '#workspace/billing-documents/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import { BUCKETS, type Customer } from './bookings.ts'
import type { Stated } from './statements.ts'

/** Returns the specification of a statement's PDF, not rendered yet. */
export async function statementPdf(ctx: Ctx, { by, id }: Customer, { from, to, currencies }: Stated): Promise<PdfSpec> {
  const recipient = await recipientOf(ctx, { contact_id: null, company_id: null, [by]: id })
  const { branding, written, say } = (await stationeryOf(ctx))(recipient.languages)
  const customer = recipient.printed(say)
  const day = (on: string) => localDay(on, say.locale)
  return drawingOf({
    ...written,
    printed: {
      ...branding,
      kind: say('statement_title'),
      number: localDay(to, say.locale, 'medium'),
      issued_on: to,
      dates: [
        { label: say('statement_from'), value: day(from) },
        { label: say('statement_to'), value: day(to) },
      ],
      recipient: customer && { label: say('for'), ...customer },
      currency: '',
      totals: currencies.map(({ currency, closing_balance }) => ({
        label: say('balance_due'),
        value: `${currency} ${printed(say, currency).amount(String(closing_balance))}`,
        strong: true,
      })),
      tables: currencies.flatMap((one) => [booked(say, one, from), aged(say, one)]),
    },
  })
}

type OfCurrency = Stated['currencies'][number]

function booked(say: Say, { currency, opening_balance, entries, closing_balance }: OfCurrency, from: string) {
  const { amount } = printed(say, currency)
  const date = (on: string) => localDay(on, say.locale, 'medium')
  const signed = (sum: Stated['currencies'][number]['closing_balance']) => amount(String(sum)).replace('-', '−')
  const kinds = { invoice: say('kind_invoice'), credit_note: say('kind_credit_note'), payment: say('statement_payment') }
  return {
    title: currency,
    figures: 2,
    headers: [say('date'), say('description'), say('due_date'), say('amount'), say('statement_balance')],
    rows: [
      [date(from), say('statement_opening'), '', '', signed(opening_balance)],
      ...entries.map(({ type, number, date: on, due_date, amount: moved, balance }) => [
        ...[date(on), `${kinds[type]} ${number}`, due_date ? date(due_date) : ''],
        ...[signed(moved), signed(balance)],
      ]),
      ['', say('statement_closing'), '', '', signed(closing_balance)],
    ],
  }
}

function aged(say: Say, { currency, ageing, unused }: OfCurrency) {
  const { amount } = printed(say, currency)
  const spans = [
    say('statement_not_due'),
    ...[
      [1, 30],
      [31, 60],
      [61, 90],
    ].map(([from, to]) => say('statement_overdue', { from: String(from), to: String(to) })),
    say('statement_overdue_more', { days: '90' }),
  ]
  const rows = BUCKETS.map((bucket, n) => [spans[n]!, amount(String(ageing[bucket]))])
  return {
    title: `${say('statement_ageing')} (${currency})`,
    headers: [say('statement_since_due'), say('balance_due')],
    rows: Number(unused) === 0 ? rows : [...rows, [say('statement_unused'), `−${amount(String(unused))}`]],
  }
}
