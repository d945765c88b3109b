/**
 * Page of a pay link: a summary of the invoice, the open amount, and how to pay it. It needs no script. Staff's texts are
 * escaped.
 */
import type { Answer } from '#kernel/http/answer.ts'
import { page } from '#kernel/http/page.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { withCurrency } from '#kernel/values/money.ts'
import { qrSvg } from '#kernel/values/qr-code.ts'
import type { BillingDocumentPdf, TransferBlock } from '#workspace/billing-documents/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'

/** Isolates a text's direction from the page's. */
const typed = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`

/** Keys of texts without parameters. */
type Plain =
  | 'pay_returned'
  | 'pay_underway'
  | 'download_invoice'
  | 'to_pay'
  | 'pay_as_told'
  | 'invoice_is_paid'
  | 'invoice_is_cancelled'

const styles = `
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; color: var(--link) }
.title { margin: 0 0 1.25rem; font-size: 1.15rem; font-weight: 600 }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: 1rem 2rem; margin: 0 0 1.5rem }
dt { color: var(--quiet); font-size: .875rem }
dd { margin: 0; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse }
th { font-weight: 400; text-align: start; vertical-align: top; overflow-wrap: anywhere }
td { text-align: end; vertical-align: top; white-space: nowrap; font-variant-numeric: tabular-nums }
:is(th, td) { padding: .5rem 0 .5rem 1rem }
:is(th, td):first-child { padding-inline-start: 0 }
thead th { overflow-wrap: break-word; font-size: .8rem; font-weight: 600; color: var(--link); border-bottom: 2px solid var(--link) }
thead th + th { text-align: end }
tbody.lines tr { border-bottom: 1px solid var(--line) }
.strong > * { font-weight: 600; color: var(--link) }
.due { margin: 0; font-size: 1.6rem; font-weight: 600; font-variant-numeric: tabular-nums }
.transfer { margin-top: 2rem; padding-top: .5rem; border-top: 1px solid var(--line) }
.transfer img { display: block; width: 13rem; max-width: 100%; height: auto; margin: 0 0 1rem; border-radius: 6px }
.transfer dl { grid-template-columns: 1fr; gap: .6rem }
`

export interface Shown {
  say: Say
  printed: BillingDocumentPdf
  status: 'unpaid' | 'paid' | 'cancelled'
  /** Paid, credited and open amounts. */
  settlement: NonNullable<BillingDocumentPdf['settlement']>
  /** Amount to pay now, formatted for the page's language: the balance, minus pending payments unless they cover all of it. */
  left: string
  /** Whether a payment is pending at the bank. */
  isUnderway: boolean
  transfer: TransferBlock | null
  /** Provider's payment page, if there is one. `pages` is its origin. */
  online?: { allowPartial: boolean; pages: string }
  /** Path of the PDF. */
  pdf: string
  logoUrl: string | null
}

/** Reason for showing the page again: an invalid amount, or the return from the provider's page. */
interface Visit {
  returned?: boolean
  refused?: { amount: string }
}

/** Returns the page of an invoice, with its ways to pay while it is unpaid. */
export function payPage(shown: Shown, { returned, refused }: Visit = {}): Answer {
  const { say, printed, status, settlement, transfer, online, pdf, logoUrl } = shown
  const said = (key: Plain) => escapeHtml(say(key))
  const download = `<p><a href="${escapeHtml(pdf)}" download>${said('download_invoice')}</a></p>`
  const ways =
    status === 'unpaid'
      ? `<h2>${said('to_pay')}</h2>
<p class="due">${escapeHtml(withCurrency(shown.left, printed.currency, say.locale))}</p>
${shown.isUnderway || returned ? `<p role="status">${said(shown.isUnderway ? 'pay_underway' : 'pay_returned')}</p>` : ''}
${online ? formHtml(say, online.allowPartial ? (refused?.amount ?? shown.left) : undefined, refused && shown.left) : ''}
${transfer ? transferHtml(say, transfer) : online || shown.isUnderway ? '' : `<p>${said('pay_as_told')}</p>`}`
      : `<p role="status">${said(`invoice_is_${status}`)}</p>`
  return page({
    title: `${printed.kind} ${printed.number}`,
    brand: { name: printed.issuer.name, logoUrl, accent: printed.accent ?? undefined },
    about: documentHtml(say, printed, settlement),
    body: `${ways}\n${download}`,
    styles,
    lang: say.locale,
    formsTo: online?.pages,
    status: refused ? 422 : 200,
  })
}

function documentHtml(
  say: Say,
  { title, issuer, recipient, dates, lines, totals, currency }: BillingDocumentPdf,
  settlement: Shown['settlement'],
) {
  const fact = (label: string, values: string[]) =>
    `<div><dt>${escapeHtml(label)}</dt><dd>${values.map(typed).join('<br>')}</dd></div>`
  const facts = [
    fact(say('from'), [issuer.name, ...issuer.lines]),
    ...(recipient?.name ? [fact(say('for'), [recipient.name, ...recipient.lines])] : []),
    ...dates.map(({ label, value }) => fact(label, [value])),
  ]
  const heads = [say('description'), say('quantity'), `${say('amount')} (${currency})`]
  const rows = (lines ?? []).map(
    ({ description, quantity, amount }) =>
      `<tr><th scope="row">${typed(description)}</th><td>${escapeHtml(quantity)}</td><td>${escapeHtml(amount)}</td></tr>`,
  )
  const sums = [...totals, ...settlement].map(
    ({ label, value, strong }) =>
      `<tr${strong ? ' class="strong"' : ''}><th scope="row" colspan="2">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  )
  return `${title ? `<p class="title">${typed(title)}</p>` : ''}
<dl>${facts.join('')}</dl>
<table><thead><tr>${heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join('')}</tr></thead>
<tbody class="lines">${rows.join('\n')}</tbody><tbody>${sums.join('')}</tbody></table>`
}

/**
 * Returns the pay button, with an amount field if partial payment is permitted. `most` is the maximum, for the error message of
 * an invalid amount.
 */
function formHtml(say: Say, amount: string | undefined, most: string | undefined) {
  const wrong = most === undefined ? '' : `<p class="error" id="amount_error">${escapeHtml(say('amount_wrong', { most }))}</p>`
  const told = wrong ? ' aria-invalid="true" aria-describedby="amount_error"' : ''
  const field =
    amount === undefined
      ? ''
      : `<label>${escapeHtml(say('amount_to_pay'))}<input name="amount" value="${escapeHtml(amount)}" inputmode="decimal" maxlength="30" required${told}></label>${wrong}`
  return `<form method="post">${field}<button>${escapeHtml(say('pay_online'))}</button></form>`
}

function transferHtml(say: Say, { title, note, lines, epc }: TransferBlock) {
  const code = epc ? Buffer.from(qrSvg(epc, 240)).toString('base64') : undefined
  const picture = code
    ? `<img src="data:image/svg+xml;base64,${code}" alt="${escapeHtml(say('transfer_code'))}" width="240" height="240">`
    : ''
  const facts = lines.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${typed(value)}</dd></div>`)
  return `<section class="transfer"><h2>${escapeHtml(title)}</h2>
${note ? `<p>${escapeHtml(note)}</p>` : ''}${picture}
<dl>${facts.join('')}</dl></section>`
}
