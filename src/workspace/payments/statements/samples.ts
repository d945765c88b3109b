/**
 * Sample statements of banks for demo data and tests: a German savings bank's in version 02, a Swiss bank's in 04, a Dutch one's
 * in 08.
 */

import { decimal } from '#kernel/values/money.ts'

export interface SampleEntry {
  /** Negative: outgoing. */
  amount: string
  currency?: string
  text?: string
  /** Structured creditor reference. */
  reference?: string
  name?: string
  iban?: string
  endToEnd?: string
  /** The bank's own reference; '' omits it. */
  bank?: string
  isReversal?: boolean
  isPending?: boolean
  /** Parts booked together; their amounts add up to the entry's. */
  batch?: Omit<SampleEntry, 'batch'>[]
  /** Ordered amount in another currency. */
  instructed?: [amount: string, currency: string]
}

interface SampleStatement {
  version?: '02' | '04' | '08'
  holder?: string
  id: string
  iban?: string
  currency?: string
  day: string
  entries: SampleEntry[]
}

const OPENING = '1000.00'
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const element = (name: string, text: string | undefined) => (text ? `<${name}>${text}</${name}>` : '')
const sideOf = (amount: string) => (amount.startsWith('-') ? 'DBIT' : 'CRDT')
const money = (amount: string, currency: string) => `<Amt Ccy="${currency}">${amount.replace('-', '')}</Amt>`

export function statementXml({
  version = '02',
  holder = 'Nordwind GmbH',
  id,
  iban = 'DE89370400440532013000',
  currency = 'EUR',
  day,
  entries,
}: SampleStatement): string {
  const booked = entries.filter(({ isPending }) => !isPending).map(({ amount }) => amount)
  const after = booked.reduce((sum, amount) => sum.plus(amount), decimal(OPENING)).toFixed(2)
  const balance = (code: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(amount, currency)}<CdtDbtInd>${sideOf(amount)}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}">
<BkToCstmrStmt><GrpHdr><MsgId>${id}-M</MsgId><CreDtTm>${day}T20:15:00+01:00</CreDtTm></GrpHdr>
<Stmt><Id>${id}</Id><ElctrncSeqNb>225</ElctrncSeqNb><CreDtTm>${day}T20:15:00+01:00</CreDtTm>
<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${currency}</Ccy><Ownr><Nm>${escaped(holder)}</Nm></Ownr></Acct>
${balance('PRCD', OPENING)}${balance('CLBD', after)}
${entries.map((one, n) => entryXml(one, `${id}-${n}`, { version, currency, day })).join('\n')}
</Stmt></BkToCstmrStmt></Document>
`
}

type Setting = Required<Pick<SampleStatement, 'version' | 'currency' | 'day'>>

function entryXml(entry: SampleEntry, reference: string, setting: Setting): string {
  const { amount, currency = setting.currency, bank = reference, isReversal, isPending, batch } = entry
  const status = isPending ? 'PDNG' : 'BOOK'
  const parts = batch ?? [entry]
  const details = parts.map((one) => detailsXml(one, { ...setting, currency }, !!batch)).join('')
  return `<Ntry>${money(amount, currency)}<CdtDbtInd>${sideOf(amount)}</CdtDbtInd>${element('RvslInd', isReversal ? 'true' : undefined)}
<Sts>${setting.version === '08' ? `<Cd>${status}</Cd>` : status}</Sts><BookgDt><Dt>${setting.day}</Dt></BookgDt><ValDt><Dt>${setting.day}</Dt></ValDt>
${element('AcctSvcrRef', bank)}<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
<NtryDtls>${batch ? `<Btch><NbOfTxs>${batch.length}</NbOfTxs></Btch>` : ''}${details}</NtryDtls></Ntry>`
}

function detailsXml(one: SampleEntry, { version, currency }: Setting, isPart: boolean): string {
  const { amount, text, reference, name, iban, endToEnd = 'NOTPROVIDED', instructed } = one
  const isOut = sideOf(amount) === 'DBIT'
  const [party, account] = isOut ? ['Cdtr', 'CdtrAcct'] : ['Dbtr', 'DbtrAcct']
  const named = element('Nm', name && escaped(name))
  const total = money(amount, currency)
  const ordered = instructed ? `<InstdAmt>${money(...instructed)}</InstdAmt>` : ''
  const said =
    version === '02'
      ? `<AmtDtls>${ordered}<TxAmt>${total}</TxAmt></AmtDtls>`
      : `${total}<CdtDbtInd>${sideOf(amount)}</CdtDbtInd>${ordered && `<AmtDtls>${ordered}</AmtDtls>`}`
  const structured = reference
    ? `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp><Ref>${reference}</Ref></CdtrRefInf></Strd>`
    : ''
  return `<TxDtls><Refs><EndToEndId>${endToEnd}</EndToEndId></Refs>${isPart || version !== '02' || instructed ? said : ''}
<RltdPties>${named && `<${party}>${version === '08' ? `<Pty>${named}</Pty>` : named}</${party}>`}${iban ? `<${account}><Id><IBAN>${iban}</IBAN></Id></${account}>` : ''}</RltdPties>
<RmtInf>${(text ?? '')
    .split('\n')
    .map((line) => element('Ustrd', escaped(line)))
    .join('')}${structured}</RmtInf></TxDtls>`
}
