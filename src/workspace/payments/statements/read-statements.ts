/** Reads a file of bank statements in any format that is known, or a ZIP of several. Runs in a child process. */
import { createHash } from 'node:crypto'
import { fromBufferPromise } from 'yauzl'
import { readCamt } from './camt.ts'
import { readCsv, tableOf } from './csv.ts'
import type { CsvMapping } from './csv-columns.ts'
import { isMt940, readMt940 } from './mt940.ts'
import {
  type EntryData,
  MAX_ENTRIES,
  MAX_STATEMENTS,
  type StatementData,
  Unreadable,
  withDistinctReferences,
} from './statement-data.ts'

export interface StatementFile {
  content: Uint8Array
  /** By which files are read that are neither XML nor MT940. */
  mapping?: CsvMapping | undefined
}

export interface ReadDocument {
  /** Name within the ZIP; null for a file by itself. */
  name: string | null
  /** Of the document, in hexadecimal: the same one is known again inside and outside of a ZIP. */
  sha256: string
  statements: StatementData[]
  /** Number of rows of a CSV file with an amount and no day, such as totals. */
  skippedRows: number
}

export type ReadFile = { documents: ReadDocument[] } | { wrong: string }

/** The statements of a file, or the reason why they can't be read. */
export async function readStatementFile({ content, mapping }: StatementFile): Promise<ReadFile> {
  try {
    const files = isZip(content) ? await unzipped(content) : [{ name: null, bytes: content }]
    const documents = files.map(({ name, bytes }) => ({
      name,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      ...withName(name, () => contentOf(bytes, mapping)),
    }))
    const statements = documents.flatMap((one) => one.statements)
    if (statements.length > MAX_STATEMENTS) throw new Unreadable(`Holds more than ${MAX_STATEMENTS} statements.`)
    if (statements.reduce((sum, { entries }) => sum + entries.length, 0) > MAX_ENTRIES)
      throw new Unreadable(`Holds more than ${MAX_ENTRIES} entries; send it in parts.`)
    return { documents }
  } catch (error) {
    if (error instanceof Unreadable) return { wrong: error.message }
    throw error
  }
}

function contentOf(bytes: Uint8Array, mapping: CsvMapping | undefined): Pick<ReadDocument, 'statements' | 'skippedRows'> {
  const { statements, skippedRows = 0 } = readFormat(bytes, mapping)
  return { statements: withDistinctReferences(statements), skippedRows }
}

/** The statements of bytes in the format that they begin like. */
function readFormat(bytes: Uint8Array, mapping: CsvMapping | undefined): { statements: StatementData[]; skippedRows?: number } {
  if (isXml(bytes)) return { statements: readCamt(bytes) }
  const text = bytes.includes(0) ? '' : textOf(bytes)
  if (isMt940(text)) return { statements: readMt940(text) }
  if (mapping) return readCsv(bytes, mapping)
  throw new Unreadable('Is neither XML nor MT940; to read it as CSV, choose a mapping.')
}

/** Whether the first character is `<`, after a byte order mark or white space. */
const isXml = (bytes: Uint8Array) => /^[\xef\xbb\xbf\xff\xfe\0\s]*</.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'))

/** The text in UTF-8 where all bytes are valid, else in Windows-1252. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Names the document of a ZIP that can't be read. */
function withName<T>(name: string | null, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (name !== null && error instanceof Unreadable)
      throw new Unreadable(`Has a file that can’t be read, ${name}: ${error.message}`)
    throw error
  }
}

const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)

const MAX_FILES = 500
const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_UNPACKED_BYTES = 60 * 1024 * 1024
/** XML of a bank shrinks to a thirtieth. */
const MAX_RATIO = 200
const RATIO_FROM_BYTES = 1024 * 1024

/** Files that archives and banks put beside the statements. */
const BESIDE = /(^|\/)(__MACOSX\/|\.[^/]*$)|\.(pdf|md5|sha\d*|sig|asc)$/i

const PROTECTED = 'Is a ZIP with a password; send one without.'
/** Whether the first file of a ZIP is encrypted, by the flags of its local header. yauzl names neither strong encryption nor wrong sizes apart. */
const isEncrypted = (bytes: Uint8Array) => ((bytes[6] ?? 0) & 0x41) !== 0

/** The files of a ZIP, whose number, sizes and ratio are judged by its directory before any of them is unpacked; yauzl ends a file that is larger than claimed. */
async function unzipped(content: Uint8Array): Promise<{ name: string; bytes: Uint8Array }[]> {
  try {
    const zip = await fromBufferPromise(Buffer.from(content), { lazyEntries: true })
    const entries = []
    let [listed, unpacked] = [0, 0]
    for await (const entry of zip.eachEntry()) {
      if (++listed > MAX_FILES) throw new Unreadable(`Holds more than ${MAX_FILES} files.`)
      if (entry.fileName.endsWith('/') || BESIDE.test(entry.fileName)) continue
      if (entry.isEncrypted()) throw new Unreadable(PROTECTED)
      unpacked += entry.uncompressedSize
      const isDense = entry.uncompressedSize > RATIO_FROM_BYTES && entry.uncompressedSize > entry.compressedSize * MAX_RATIO
      if (entry.uncompressedSize > MAX_FILE_BYTES || unpacked > MAX_UNPACKED_BYTES || isDense)
        throw new Unreadable('Unpacks to more than is read; send it in parts.')
      entries.push(entry)
    }
    const files = []
    for (const entry of entries) {
      const chunks: Buffer[] = []
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
      const bytes = Buffer.concat(chunks)
      if (isZip(bytes)) throw new Unreadable('Holds a ZIP within the ZIP; unpack that first.')
      files.push({
        name: entry.fileName
          .replace(/[\p{Cc}]/gu, '')
          .slice(-200)
          .toWellFormed(),
        bytes,
      })
    }
    if (!files.length) throw new Unreadable('Holds no statement.')
    return files
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(isEncrypted(content) ? PROTECTED : 'Is no ZIP that can be read.')
  }
}

/** Transactions that a preview shows. */
const PREVIEWED = 20

interface CsvPreview {
  headers: string[]
  /** Number of entries that can be read. */
  entries: number
  transactions: (Pick<EntryData, (typeof SHOWN)[number]> & { account: string })[]
  problems: string[]
  pending_entries: number
  skipped_rows: number
}

/** Fields of a transaction that a preview shows. */
const SHOWN = [
  'booked_on',
  'value_date',
  'amount',
  'currency',
  'counterparty_name',
  'counterparty_iban',
  'remittance',
  'end_to_end_id',
  'bank_reference',
] as const

/** A CSV file as a mapping reads it, or the reason why it can't be read at all. */
export function previewCsv({ content, mapping }: { content: Uint8Array; mapping: CsvMapping }): CsvPreview | { wrong: string } {
  try {
    const { headers, entries, accounts, problems, pending, skippedRows } = tableOf(content, mapping)
    const transactions = entries.slice(0, PREVIEWED).map((entry, n) => ({
      ...(Object.fromEntries(SHOWN.map((field) => [field, entry[field]])) as Pick<EntryData, (typeof SHOWN)[number]>),
      account: accounts[n]!,
    }))
    const counts = { pending_entries: pending.length, skipped_rows: skippedRows }
    return { headers, entries: entries.length, transactions, problems, ...counts }
  } catch (error) {
    if (error instanceof Unreadable) return { wrong: error.message }
    throw error
  }
}
