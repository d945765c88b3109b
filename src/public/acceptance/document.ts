/** Renders an offered document as HTML. Staff's texts are escaped, their formatted texts sanitised again. */
import { escapeHtml } from '#kernel/values/escape-html.ts'
import type { OfferedDocument } from '#workspace/acceptance/public.ts'
import { printedCustomerDocument } from '#workspace/billing-documents/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'

/** Isolates a text's direction from the page's. */
const typed = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`
type Sanitized = (html: string) => string
type Formatted = (html: string | null | undefined) => string

/** Returns the document's HTML. `sanitized` sanitises a formatted text. */
export function documentHtml(offered: OfferedDocument, say: Say, sanitized: Sanitized): string {
  const formatted: Formatted = (html) => (html ? `<div class="text" dir="auto">${sanitized(html)}</div>` : '')
  const section = (title: string, html: string | null) =>
    html ? `<section><h2>${escapeHtml(title)}</h2>${formatted(html)}</section>` : ''
  const { title, issuer, recipient, body, currency, notes, terms_and_conditions } = offered
  const { dates, lines, totals, taxes } = printedCustomerDocument(offered, say)
  const facts = [
    partyHtml(say('from'), issuer),
    ...(recipient ? [partyHtml(say('for'), recipient)] : []),
    ...dates.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`),
  ]
  return `<p class="title">${typed(title)}</p>
<dl>${facts.join('')}</dl>
${formatted(body)}
${lines?.length ? linesHtml(say, lines, currency, formatted) : ''}
${totalsHtml(totals, currency)}
${taxes.length ? taxesHtml(say, taxes) : ''}
${section(say('notes'), notes)}
${section(say('terms'), terms_and_conditions)}`
}

const partyHtml = (label: string, { name, lines }: { name: string; lines: string[] }) =>
  `<div><dt>${escapeHtml(label)}</dt><dd>${[name, ...lines].map(typed).join('<br>')}</dd></div>`

type Printed = ReturnType<typeof printedCustomerDocument>

/** Returns the table of lines. On a narrow screen each line becomes a card, with figures labelled by `data-label`. */
function linesHtml(say: Say, lines: NonNullable<Printed['lines']>, currency: string, formatted: Formatted) {
  const discounted = lines.some(({ discount }) => discount)
  const amountIn = `${say('amount')} (${currency})`
  const discount = discounted ? [say('discount')] : []
  const heads = [say('quantity'), say('unit_price'), ...discount, say('line_tax'), amountIn].map(escapeHtml)
  const rows = lines.map(({ description, detail, body, quantity, unit_price, discount, tax_rate, amount }) => {
    const figures = [quantity, unit_price, ...(discounted ? [discount ?? ''] : []), tax_rate, amount]
    const cells = figures.map((figure, n) => `<td data-label="${heads[n]}">${escapeHtml(figure)}</td>`)
    const sku = detail ? `<br><small>${typed(detail)}</small>` : ''
    return `<tr><th scope="row">${typed(description)}${sku}${formatted(body)}</th>${cells.join('')}</tr>`
  })
  const head = [escapeHtml(say('description')), ...heads].map((text) => `<th scope="col">${text}</th>`).join('')
  return `<div class="lines"><table class="lines"><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function totalsHtml(totals: Printed['totals'], currency: string) {
  const rows = totals.map(({ label, note, value, strong }) => {
    const figure = escapeHtml(strong ? `${currency} ${value}` : value)
    const aside = note ? `<br><small>${escapeHtml(note)}</small>` : ''
    return `<tr${strong ? ' class="strong"' : ''}><th scope="row">${escapeHtml(label)}${aside}</th><td>${figure}</td></tr>`
  })
  return rows.length ? `<table class="totals"><tbody>${rows.join('')}</tbody></table>` : ''
}

function taxesHtml(say: Say, taxes: Printed['taxes']) {
  const rows = taxes.map(({ rate, net, tax }) => {
    const figures = [net, tax].map((figure) => `<td>${escapeHtml(figure)}</td>`)
    return `<tr><th scope="row">${escapeHtml(rate)}</th>${figures.join('')}</tr>`
  })
  const head = [say('tax_rate'), say('net'), say('tax')].map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('')
  return `<table class="taxes"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}
