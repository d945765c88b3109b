/** Finds legally required particulars that a document lacks, before it is issued. */
import type { Ctx } from '#kernel/context.ts'
import type { RecordTable, Row } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { decimal } from '#kernel/values/money.ts'
import { type EInvoiced, readBilled } from './e-invoiced.ts'
import { type CountryRules, type Particular, rulesIn } from './particulars.ts'
import type { Billed, Parties } from './semantics.ts'

/** A legally required particular that a document lacks. */
export interface ParticularNotice {
  particular: Particular | 'seller_country'
  /** Field to correct: of the document, of its customer, or a setting. */
  field: string
  message: string
}

/** The rules of the seller's country, and the particulars that a document lacks. */
export interface Particulars {
  country: string | null
  sources: string[]
  reviewed: boolean
  notices: ParticularNotice[]
}

function particularsOf(document: Billed, { seller, buyer }: Parties): Particulars {
  const country = seller.country || null
  if (!country) {
    const message = 'The country of the workspace is missing, so it isn’t known what its law asks for.'
    const notices = [{ particular: 'seller_country', field: 'settings.country', message } as const]
    return { country, sources: [], reviewed: false, notices }
  }
  const rules = rulesIn(country)
  if (!rules) return { country, sources: [], reviewed: false, notices: [] }
  const who = buyer?.field ?? 'company'
  const notices = asked(document, rules).flatMap((particular) => {
    const notice = CHECKS[particular](document, { seller, buyer }, who)
    return notice ? [{ particular, ...notice }] : []
  })
  return { country, sources: rules.sources, reviewed: rules.reviewed, notices }
}

/** For a small amount, particulars of the buyer aren't required. */
function asked({ total, currency }: Billed, { asks, simplified }: CountryRules): Particular[] {
  const isSmall = simplified && simplified.currency === currency && decimal(total).lte(simplified.upTo)
  return isSmall ? asks.filter((particular) => !particular.startsWith('buyer_')) : asks
}

type Check = (document: Billed, parties: Parties, who: 'company' | 'contact') => Omit<ParticularNotice, 'particular'> | undefined

const CHECKS: Record<Particular, Check> = {
  seller_address: (_, { seller }) =>
    seller.company_address || (seller.street && seller.city)
      ? undefined
      : { field: 'settings.street', message: 'The address of the workspace is missing.' },
  seller_tax_id: (_, { seller }) =>
    seller.vat_id || seller.tax_number
      ? undefined
      : { field: 'settings.vat_id', message: 'The VAT id or the tax number of the workspace is missing.' },
  // A seller who charges no tax may have no VAT id.
  seller_vat_id: ({ tax_total }, { seller }) =>
    seller.vat_id || Number(tax_total) === 0
      ? undefined
      : { field: 'settings.vat_id', message: 'The VAT id of the workspace is missing.' },
  buyer_name: (_, { buyer }, who) => (buyer?.name ? undefined : { field: `${who}_id`, message: 'The customer is missing.' }),
  buyer_address: (_, { buyer }, who) =>
    !buyer || buyer.address || (buyer.street && buyer.city)
      ? undefined
      : { field: `${who}.street`, message: 'The address of the customer is missing.' },
  buyer_tax_id: (_, { buyer }, who) =>
    !buyer || who === 'contact' || buyer.vat_id
      ? undefined
      : { field: `${who}.vat_id`, message: 'The VAT id of the customer is missing.' },
  due_date: ({ due_date }) =>
    due_date === undefined || due_date
      ? undefined
      : { field: 'due_date', message: 'The day by which it is to be paid is missing.' },
}

/** Returns the particulars of a stored document with current data. */
export async function readParticulars(kind: EInvoiced, ctx: Ctx, id: number): Promise<Particulars> {
  const { document, parties } = await readBilled(kind, ctx, id)
  return particularsOf(document, parties)
}

/** Writes legally required particulars that a document lacks when it is issued to its timeline. */
export async function noteParticulars<T extends RecordTable>(ctx: Ctx, kind: EInvoiced<T>, row: Row<T>) {
  const { id } = row as unknown as { id: number }
  if (!rulesIn(await ctx.setting('country'))) return
  const { sources, notices } = await readParticulars(kind, ctx, id)
  if (!notices.length) return
  const missing = notices.map(({ message }) => message)
  await logActivity(ctx, kind.of as never, id, 'particulars_missing', { source: sources[0], missing } as never)
}

/** Text of the timeline entry. */
export const particularSentences = {
  particulars_missing: ({ source, missing }: { source: string; missing: string[] }) =>
    `Issued without what ${source} asks for: ${missing.join(' ')}`,
}
