/**
 * Reader of bank statements in ISO 20022: CAMT.053 (statement), CAMT.052 (report within the day) and CAMT.054 (notification of bookings), as banks in Europe
 * write them, alone or within an envelope (SOAP, SBDH). Runs in a child process.
 */
import { decimal } from '#kernel/values/money.ts'
import { all, first, readXml, textAt, trimmed, type XmlElement, XmlError } from '#kernel/values/xml-reading.ts'
import { xsBoolean, xsDate, xsDay, xsDecimal } from '#kernel/values/xml-schema-types.ts'
import {
  chargesIn,
  cut,
  type EntryData,
  ensureBookable,
  type Format,
  fingerprint,
  isExactIn,
  isReturnGvc,
  isStorable,
  MAX_STATEMENTS,
  referenceOf,
  remittanceOf,
  type StatementData,
  Unreadable,
} from './statement-data.ts'

interface Message {
  format: Format
  versions: RegExp
  /** Addition to its name in messages. */
  description?: string
  /** Path from the document to its statements. */
  path: string
}

const MESSAGES: Record<string, Message> = {
  'camt.052': {
    format: 'camt.052',
    versions: /^(0[1-9]|1[0-4])$/,
    path: 'BkToCstmrAcctRpt/Rpt',
    description: ', a report within the day',
  },
  'camt.053': { format: 'camt.053', versions: /^(0[1-9]|1[0-4])$/, path: 'BkToCstmrStmt/Stmt' },
  'camt.054': {
    format: 'camt.054',
    versions: /^(0[1-9]|1[0-4])$/,
    path: 'BkToCstmrDbtCdtNtfctn/Ntfctn',
    description: ', a notification of single bookings',
  },
}
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:(camt\.05[234])\.001\.(\d\d)$/
const READ = 'what is read are statements in CAMT.052, CAMT.053, CAMT.054 (ISO 20022), MT940 and CSV.'
/** Beginning of a document, after a byte order mark. */
const DOCUMENT_START = /^<(\?xml\s|([\w.-]{1,20}:)?Document\s)/
/** Characters in which a document begins, and a multiple of four of Base64. */
const START_LENGTH = 200
/** Documents within one envelope. */
const MAX_DOCUMENTS = 100

/** The statements of an XML file. Throws an Unreadable. */
export function readCamt(content: Uint8Array): StatementData[] {
  try {
    const root = readXml(content)
    const documents = documentsIn(root)
    if (!documents.length) throw new Unreadable(`Is ${nameOf(root)}; ${READ}`)
    const found = documents.flatMap(({ message, element }) => {
      const group = element.children[0]
      // Version 01 has its number in the name, too: BkToCstmrAcctRptV01.
      const statements = [...all(element, message.path), ...all(element, message.path.replace('/', 'V01/'))]
      return statements.map((statement) => ({ message, statement, group }))
    })
    const [one] = documents
    if (!found.length && one!.message.format !== 'camt.053')
      throw new Unreadable(`Is ${nameOf(one!.element)}, but holds no statement.`)
    if (!found.length) throw new Unreadable('Holds no statement.')
    if (found.length > MAX_STATEMENTS) throw new Unreadable(`Holds more than ${MAX_STATEMENTS} statements.`)
    return found.map(({ message, statement, group }) => statementOf(statement, message, group))
  } catch (error) {
    if (error instanceof XmlError) throw new Unreadable(`Is no XML that can be read. ${error.message}`)
    throw error
  }
}

interface Document {
  message: Message
  element: XmlElement
}

/** The documents of an envelope, or the root itself. An envelope carries them as elements, or as text: escaped, in CDATA, in Base64. */
function documentsIn(root: XmlElement): Document[] {
  const found: Document[] = []
  const embedded: Uint8Array[] = []
  const visit = (element: XmlElement) => {
    const [, kind = '', version = ''] = NAMESPACE.exec(element.namespace) ?? []
    const message = MESSAGES[kind]
    if (message && element.name === 'Document') {
      if (message.versions.test(version)) found.push({ message, element })
      return
    }
    const document = embeddedIn(element.text)
    if (document) embedded.push(document)
    element.children.forEach(visit)
  }
  visit(root)
  if (!found.length && embedded.length <= MAX_DOCUMENTS) for (const bytes of embedded) visit(readXml(bytes))
  if (found.length > MAX_DOCUMENTS) throw new Unreadable(`Holds more than ${MAX_DOCUMENTS} documents.`)
  return found
}

/** The bytes of a document within a text. Text has been decoded with its envelope, whatever it declares; Base64 has the encoding that its bytes declare. */
function embeddedIn(text: string): Uint8Array | undefined {
  const start = text.slice(0, START_LENGTH).trimStart()
  if (DOCUMENT_START.test(start)) return Buffer.from(text.trim().replace(/^<\?xml[^>]{0,200}\?>/, ''))
  if (!/^[A-Za-z\d+/=\s]+$/.test(start)) return undefined
  const begun = Buffer.from(start, 'base64')
  const isWide = (begun[0] === 0xff && begun[1] === 0xfe) || (begun[0] === 0xfe && begun[1] === 0xff)
  const characters = isWide ? begun.toString('latin1').slice(2).replaceAll('\0', '') : begun.toString()
  return DOCUMENT_START.test(characters.trimStart()) ? Buffer.from(text, 'base64') : undefined
}

/** The name of a document that is none of those that are read, with its version where that is the reason. */
function nameOf({ name, namespace }: XmlElement): string {
  const [, kind, version] = /:(camt\.05\d|pain\.00\d)\.001\.(\d\d)$/.exec(namespace) ?? []
  if (!kind) return `<${name.slice(0, 60)}>`
  const message = MESSAGES[kind]
  const isRead = !message || message.versions.test(version!)
  return `${kind.toUpperCase()}${isRead ? '' : ` in version ${version}`}${message?.description ?? ''}`
}

function statementOf(element: XmlElement, { format }: Message, group: XmlElement | undefined): StatementData {
  // The last two are those of version 01.
  const [account] = ['IBAN', 'Othr/Id', 'BBAN', 'PrtryAcct/Id'].flatMap((path) => textAt(element, `Acct/Id/${path}`) ?? [])
  if (!account) throw new Unreadable('Has a statement without an account.')
  const entries = all(element, 'Ntry')
  const currency =
    textAt(element, 'Acct/Ccy') ?? first(element, 'Bal/Amt')?.attributes.Ccy ?? first(entries[0], 'Amt')?.attributes.Ccy
  if (!currency || !/^[A-Z]{3}$/.test(currency)) throw new Unreadable('Has a statement without a currency.')
  const booked = entries.filter((entry) => statusOf(entry) === 'BOOK')
  const positions = new Map(entries.map((entry, n) => [entry, n + 1]))
  const opening = balanceOf(element, ['OPBD', 'PRCD'])
  const closing = balanceOf(element, format === 'camt.052' ? ['CLBD', 'ITBD'] : ['CLBD'])
  const until = dateIn(textAt(element, 'FrToDt/ToDtTm')) ?? dateIn(textAt(element, 'FrToDt/ToDt'))
  const owner = {
    account,
    holder: textAt(element, 'Acct/Ownr/Nm') ?? null,
    statement: textAt(element, 'Id')?.slice(0, 60) ?? '–',
    day:
      closing?.day ??
      textAt(element, 'FrToDt/ToDtTm') ??
      textAt(element, 'FrToDt/ToDt') ??
      textAt(element, 'CreDtTm') ??
      textAt(group, 'GrpHdr/CreDtTm'),
  }
  const seen = new Map<string, number>()
  return {
    format,
    reference: cut(textAt(element, 'Id')) ?? '',
    account: cut(account.replace(/\s/g, '').toUpperCase())!,
    account_holder: cut(owner.holder),
    currency,
    sequence: cut(textAt(element, 'LglSeqNb') ?? textAt(element, 'ElctrncSeqNb')),
    from_date: dateIn(textAt(element, 'FrToDt/FrDtTm')) ?? dateIn(textAt(element, 'FrToDt/FrDt')) ?? dateIn(opening?.day) ?? null,
    to_date: until ?? dateIn(closing?.day) ?? null,
    opening_balance: opening?.amount ?? null,
    closing_balance: closing?.amount ?? null,
    entries: booked.flatMap((entry, index) => transactionsOf({ entry, position: positions.get(entry)!, index }, owner, seen)),
    pending: entries.length - booked.length,
  }
}

/** A text of its own in version 02, a code within it since 04. */
const statusOf = (entry: XmlElement) => textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts') ?? 'BOOK'

/** The day of a date or of an instant, by the bank's clock; also of instants that are not written as xs:dateTime wants. */
const dateIn = (text: string | undefined): string | undefined =>
  xsDay(text) ?? (text && /^\S{10}T/.test(text) ? xsDate(text.slice(0, 10)) : undefined)

/** The text of a day or of an instant; undefined where there is none. */
const dayAt = (element: XmlElement, path: string) => textAt(element, `${path}/Dt`) ?? textAt(element, `${path}/DtTm`)

/** A balance that can't be stored exactly is left out: it informs, nothing is booked by it. */
function balanceOf(element: XmlElement, codes: string[]) {
  const balances = all(element, 'Bal')
  const found = codes.flatMap((code) => balances.filter((one) => textAt(one, 'Tp/CdOrPrtry/Cd') === code))[0]
  if (!found) return undefined
  const place = `statement ${textAt(element, 'Id')?.slice(0, 60) ?? '–'}, balance ${textAt(found, 'Tp/CdOrPrtry/Cd')}`
  const amount = signed(found, place)
  return { amount: isStorable(amount) ? amount : null, day: dayAt(found, 'Dt') }
}

/** The `Amt` of an element, below 0 for a debit. The indicator of a reversal is the direction in which the money moves now. */
function signed(element: XmlElement, place: string): string {
  const amount = amountOf(first(element, 'Amt'))
  if (amount === undefined)
    throw new Unreadable(`Has an amount that can’t be read, “${textAt(element, 'Amt')?.slice(0, 40) ?? ''}” (${place}).`)
  return textAt(element, 'CdtDbtInd') === 'DBIT' ? negated(amount) : amount
}

const negated = (amount: string) => decimal(amount).times(-1).toFixed()

/** ActiveCurrencyAndAmount: 18 digits, of which 5 are decimals; never below 0. */
function amountOf(element: XmlElement | undefined): string | undefined {
  const amount = xsDecimal(trimmed(element), { totalDigits: 18, fractionDigits: 5 })
  return amount?.gte(0) ? amount.toFixed() : undefined
}

interface Owner {
  account: string
  holder: string | null
  /** Id of the statement, for messages. */
  statement: string
  /** Text of the day of entries that have none. */
  day: string | undefined
}

/** The day in a text. One that can't be read is not the same as none: the entry would be booked on another day. */
function ensureDay(text: string, place: string): string {
  const day = dateIn(text)
  if (!day) throw new Unreadable(`Has a day that can’t be read, “${text.slice(0, 40)}” (${place}).`)
  return day
}

/**
 * The transactions of an entry: its parts where the bank names the amount of each and they add up, with or without charges; else the entry as a whole, with
 * the texts of all its parts.
 */
function transactionsOf(
  { entry, position, index }: { entry: XmlElement; position: number; index: number },
  owner: Owner,
  seen: Map<string, number>,
): EntryData[] {
  const place = `statement ${owner.statement}, entry ${position}`
  const whole = signed(entry, place)
  const currency = first(entry, 'Amt')?.attributes.Ccy ?? ''
  ensureBookable(currency, whole)
  const valued = dayAt(entry, 'ValDt')
  const booked = dayAt(entry, 'BookgDt') ?? valued ?? owner.day
  if (!booked) throw new Unreadable('Has an entry without a day on which it was booked.')
  const booked_on = ensureDay(booked, place)
  const details = all(entry, 'NtryDtls/TxDtls')
  const shared = {
    ...{ entry_index: index, entry_amount: whole, booked_on, currency },
    entry_reference: referenceOf(textAt(entry, 'AcctSvcrRef')),
    value_date: valued === undefined ? null : ensureDay(valued, place),
  }
  const split = splitOf(entry, details, whole, currency)
  const made = split
    ? [
        ...split.parts.map((part, n) => ({ ...shared, ...part, ...describe([details[n]!], entry, owner, part) })),
        ...split.charges.map((amount) => ({ ...shared, amount, ...describe([], entry, owner, { amount }) })),
      ]
    : [{ ...shared, amount: whole, ...describe(details, entry, owner, { amount: whole }) }]
  return made.map(({ identity, ...one }) => ({
    ...one,
    ...fingerprint(owner.account, { ...one, ...identity }, seen),
  }))
}

interface Part {
  amount: string
  bank_charges: string | null
}

interface Split {
  parts: Part[]
  /** Charges of the batch as a whole: a transaction of their own, so that all of them add up to the entry. */
  charges: string[]
}

const sumOf = (amounts: string[]) => amounts.reduce((sum, amount) => sum.plus(amount), decimal(0))

/**
 * The parts of a batch, or undefined where they don't come to the entry. Charges are deducted from the part that they stand at, since so much of it reached
 * the account; those of the batch are apart.
 */
function splitOf(entry: XmlElement, details: XmlElement[], whole: string, currency: string): Split | undefined {
  if (details.length < 2) return undefined
  const amounts = details.map((detail) => partAmount(detail, entry, currency))
  if (!amounts.every((amount) => amount !== undefined)) return undefined
  const charges = details.map((detail) => chargesOf(detail, currency))
  const ofBatch = chargesOf(entry, currency)
  const net = amounts.map((amount, n) => decimal(amount).minus(charges[n]!).toFixed())
  const gross = amounts.map((amount) => ({ amount, bank_charges: null }))
  const less = net.map((amount, n) => ({ amount, bank_charges: decimal(charges[n]!).eq(0) ? null : charges[n]! }))
  const apart = [negated(ofBatch)]
  const readings: Split[] = [
    { parts: gross, charges: [] },
    { parts: less, charges: [] },
    { parts: gross, charges: apart },
    { parts: less, charges: apart },
  ]
  return readings.find(({ parts, charges: own }) => {
    const all = [...parts.map(({ amount }) => amount), ...own]
    const isExact = (amount: string) => isExactIn(currency, amount) && isStorable(amount)
    return sumOf(all).eq(whole) && all.every(isExact) && parts.every(({ bank_charges }) => isExact(bank_charges ?? '0'))
  })
}

function partAmount(detail: XmlElement, entry: XmlElement, currency: string): string | undefined {
  const candidates = [first(detail, 'Amt'), first(detail, 'AmtDtls/TxAmt/Amt')]
  const amount = amountOf(candidates.find((one) => one?.attributes.Ccy === currency))
  if (amount === undefined) return undefined
  const side = textAt(detail, 'CdtDbtInd') ?? textAt(entry, 'CdtDbtInd')
  return side === 'DBIT' ? negated(amount) : amount
}

/** The charges of an element, above 0 where they were deducted. Those in another currency are none of this account. */
function chargesOf(element: XmlElement, currency: string): string {
  const valued = (amount: XmlElement | undefined, side: XmlElement) => {
    const value = amount?.attributes.Ccy === currency ? amountOf(amount) : undefined
    return textAt(side, 'CdtDbtInd') === 'CRDT' ? negated(value ?? '0') : (value ?? '0')
  }
  const each = all(element, 'Chrgs').map((charges) => {
    const total = first(charges, 'TtlChrgsAndTaxAmt')
    const records = all(charges, 'Rcrd')
    if (total) return valued(total, records.length === 1 ? records[0]! : charges)
    return sumOf([valued(first(charges, 'Amt'), charges), ...records.map((one) => valued(first(one, 'Amt'), one))]).toFixed()
  })
  return sumOf(each).toFixed()
}

/** Sub-families of bank transaction codes (ISO 20022) that take an earlier booking back: returns, cancellations, unpaid debits and cheques. */
const RETURNS = new Set(['RRTN', 'RPCR', 'UPDD', 'PRDD', 'RCDD', 'UPCQ', 'CQRV', 'UPCT'])

/** Whether a transaction code says that an earlier booking is taken back, and the German reason of a proprietary one (`NDDT+109+00931+906`). */
function returnCodeOf(element: XmlElement | undefined): { isReturn: boolean; reason?: string | undefined } {
  if (RETURNS.has(textAt(element, 'BkTxCd/Domn/Fmly/SubFmlyCd') ?? '')) return { isReturn: true }
  const code = textAt(element, 'BkTxCd/Prtry/Cd') ?? ''
  const isGerman = /^(DK|ZKA|DFUE)/i.test(textAt(element, 'BkTxCd/Prtry/Issr') ?? '')
  const [, gvc, reason] = /^[A-Z][A-Z0-9]{3}\+(\d{3})(?:\+[^+]{0,20}(?:\+(9\d\d))?)?/.exec(code) ?? []
  return { isReturn: isReturnGvc(gvc ?? (isGerman && /^\d{3}$/.test(code) ? code : undefined)), reason }
}

/** Parties and texts: of one part, or of all of an entry that isn't split. */
function describe(
  details: XmlElement[],
  entry: XmlElement,
  owner: Owner,
  { amount, bank_charges }: { amount: string; bank_charges?: string | null },
) {
  const only = details.length === 1 ? details[0] : undefined
  const reversal = textAt(entry, 'RvslInd')
  const codes = [...details, entry].map(returnCodeOf)
  const returned = details.flatMap((detail) => all(detail, 'RtrInf'))
  const isReturn = returned.length > 0 || codes.some(({ isReturn }) => isReturn)
  // A value that isn't in xs:boolean is no reason to book a reversal by itself.
  const isReversal = isReturn || (reversal !== undefined && xsBoolean(reversal) !== false)
  const texts = details.flatMap((detail) => [
    ...all(detail, 'RmtInf/Ustrd').map(trimmed),
    ...all(detail, 'RmtInf/Strd').flatMap((one) => [
      textAt(one, 'CdtrRefInf/Ref'),
      ...all(one, 'RfrdDocInf/Nb').map(trimmed),
      ...all(one, 'AddtlRmtInf').map(trimmed),
    ]),
  ])
  const further = details.map((detail) => textAt(detail, 'AddtlTxInf'))
  const general = textAt(entry, 'AddtlNtryInf')
  const isIncoming = !amount.startsWith('-')
  const [now, before] = isIncoming ? (['Dbtr', 'Cdtr'] as const) : (['Cdtr', 'Dbtr'] as const)
  const party = partyOf(only, now)
  const bank = [textAt(only, 'Refs/AcctSvcrRef'), textAt(entry, 'AcctSvcrRef'), textAt(entry, 'NtryRef')]
  const described = {
    end_to_end_id: referenceOf(textAt(only, 'Refs/EndToEndId')),
    bank_reference: bank.map(referenceOf).find((one) => one !== null) ?? null,
  }
  return {
    ...described,
    // A return keeps the roles of the payment that it takes back.
    ...(isReversal ? otherThanOwner([partyOf(only, before), party], owner) : party),
    remittance: remittanceOf([...texts, ...further]) ?? remittanceOf([general]),
    creditor_reference: referenceOf(textAt(only, 'RmtInf/Strd/CdtrRefInf/Ref')),
    is_reversal: isReversal,
    return_reason: isReversal
      ? cut(
          returned.map((one) => textAt(one, 'Rsn/Cd') ?? textAt(one, 'Rsn/Prtry')).find(Boolean) ??
            codes.find(({ reason }) => reason)?.reason,
        )
      : null,
    return_information: isReversal ? cut(remittanceOf(returned.flatMap((one) => all(one, 'AddtlInf').map(trimmed)))) : null,
    bank_charges: bank_charges ?? deductedFrom(only, entry, amount, isReversal),
    ...orderedOf(only, entry),
    // The fingerprint of an entry stays what it was when returns and further texts weren't read.
    identity: { ...described, ...party, remittance: remittanceOf(texts) ?? remittanceOf([general]) },
  }
}

interface Party {
  counterparty_name: string | null
  counterparty_iban: string | null
}

function partyOf(detail: XmlElement | undefined, role: 'Dbtr' | 'Cdtr'): Party {
  const parties = first(detail, 'RltdPties')
  const account = textAt(parties, `${role}Acct/Id/IBAN`) ?? textAt(parties, `${role}Acct/Id/Othr/Id`)
  return {
    counterparty_name: cut(
      textAt(parties, `${role}/Nm`) ?? textAt(parties, `${role}/Pty/Nm`) ?? textAt(parties, `Ultmt${role}/Nm`),
    ),
    counterparty_iban: cut(account?.replace(/\s/g, '').toUpperCase()),
  }
}

/** The first of the parties that is named and isn't the account's owner. */
function otherThanOwner(parties: Party[], { account, holder }: Owner): Party {
  const own = account.replace(/\s/g, '').toUpperCase()
  const isOwner = ({ counterparty_iban: iban, counterparty_name: name }: Party) =>
    iban ? iban === own : !!name && name.toLowerCase() === holder?.toLowerCase()
  const named = parties.filter((one) => one.counterparty_iban || one.counterparty_name)
  return named.find((one) => !isOwner(one)) ?? parties[0]!
}

/** The charges of an entry with one part: it names them and comes to so much less. Of a return also what is more than the original amount. */
function deductedFrom(detail: XmlElement | undefined, entry: XmlElement, amount: string, isReversal: boolean): string | null {
  const currency = first(entry, 'Amt')?.attributes.Ccy ?? ''
  const part = detail && partAmount(detail, entry, currency)
  if (!detail || part === undefined) return null
  for (const charges of [chargesOf(detail, currency), chargesOf(entry, currency)])
    if (!decimal(charges).eq(0) && isStorable(charges) && decimal(part).minus(charges).eq(amount)) return charges
  const instructed = first(detail, 'AmtDtls/InstdAmt/Amt')
  const original = instructed?.attributes.Ccy === currency ? amountOf(instructed) : undefined
  return isReversal ? chargesIn(amount, original) : null
}

/** The ordered amount, where its currency isn't the entry's and the database can store it. */
function orderedOf(detail: XmlElement | undefined, entry: XmlElement) {
  const instructed = first(detail, 'AmtDtls/InstdAmt/Amt')
  const currency = instructed?.attributes.Ccy ?? ''
  const isForeign = /^[A-Z]{3}$/.test(currency) && currency !== first(entry, 'Amt')?.attributes.Ccy
  const amount = isForeign ? amountOf(instructed) : undefined
  const ordered = amount !== undefined && isStorable(amount) ? amount : null
  return { instructed_amount: ordered, instructed_currency: ordered === null ? null : currency }
}
