/**
 * Public samples of bank statements in the folder BANK_STATEMENT_SAMPLES: each total is compared with one from the raw text. No
 * sample is copied into this repository: `.ci/run samples` fetches these repositories at these commits, each into the folder
 * `owner+name`:
 *
 *   OCA/bank-statement-import    16f9266b9d50b1dea021c31732e6b2c409f12f24
 *   genkgo/camt                  c99e4fe37347cd6d0daf9dc211186aa28794e60f
 *   Subite-eu/camt-to-coda       02acaf9acdaab89445d163534365c214f94a25a3
 *   wolph/mt940                  de3b084759ecbebd28940500c1f41e8ae3fd3ef0
 */
// CI stage: samples
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import Big from 'big.js'
import { readStatementFile } from '#workspace/payments/statements/read-statements.ts'

const folder = process.env.BANK_STATEMENT_SAMPLES
const skip = folder ? false : 'SKIPPED: BANK_STATEMENT_SAMPLES names no folder with samples'

/** Files not written by a bank: invalid by their schema, or incomplete. */
const INVALID = new Set(['camt053.v2.wrong.xml'])

const files = (pattern: string) =>
  globSync(pattern, { cwd: folder })
    .map((path) => join(folder!, path))
    .filter((path) => statSync(path).isFile() && !INVALID.has(basename(path)))

interface Total {
  entries: number
  sum: string
}

/** Returns number and sum of the booked entries in a CAMT file's raw text. */
function totalOfCamt(xml: string): Total {
  const entries = [...xml.replace(/<!--[\s\S]*?-->/g, '').matchAll(/<(?:\w+:)?Ntry>([\s\S]*?)<\/(?:\w+:)?Ntry>/g)].map(
    ([, text]) => text!,
  )
  const booked = entries.filter((text) => /<(?:\w+:)?Sts>\s*(?:<(?:\w+:)?Cd>)?\s*BOOK/.test(text) || !/<(?:\w+:)?Sts>/.test(text))
  const values = booked.map((text) => {
    const amount = /<(?:\w+:)?Amt\b[^>]*>\s*([^<\s]+)/.exec(text)![1]!
    return new Big(amount).times(/<(?:\w+:)?CdtDbtInd>\s*DBIT/.test(text) ? -1 : 1)
  })
  return { entries: values.length, sum: values.reduce((sum, value) => sum.plus(value), new Big(0)).toFixed() }
}

/** Returns number and sum of the fields 61 in an MT940 file's raw text. */
function totalOfMt940(text: string): Total {
  const values = [...text.matchAll(/^:61:\d{6}[\d ]{0,4} ?(RC|RD|C|D)[A-Z]?([\d,.]+)/gm)].map(([, mark, digits]) => {
    const plain = digits!.includes(',') ? digits!.replaceAll('.', '').replace(/,$/, '').replace(',', '.') : digits!
    return new Big(plain).times(mark === 'D' || mark === 'RC' ? -1 : 1)
  })
  return { entries: values.length, sum: values.reduce((sum, value) => sum.plus(value), new Big(0)).toFixed() }
}

/** Returns number and sum of the entries as our reader parses them. */
async function totalOf(path: string): Promise<Total> {
  const outcome = await readStatementFile({ content: readFileSync(path) })
  assert.ok('documents' in outcome, `${path}: ${'wrong' in outcome && outcome.wrong}`)
  const statements = outcome.documents.flatMap((document) => document.statements)
  const transactions = statements.flatMap(({ entries }) => entries)
  return {
    entries: statements.reduce((count, { entries }) => count + new Set(entries.map(({ entry_index }) => entry_index)).size, 0),
    sum: transactions.reduce((sum, { amount }) => sum.plus(amount), new Big(0)).toFixed(),
  }
}

it('public samples of CAMT are all read, and come to what their entries come to', { skip }, async (t) => {
  const samples = [
    ...files('genkgo+camt/test/data/*.xml'),
    ...files('Subite-eu+camt-to-coda/example-files/**/CAMT_05[234]/*.xml'),
    ...files('OCA+bank-statement-import/account_statement_import_camt/test_files/test-camt05*').filter(
      (path) => !path.endsWith('.zip'),
    ),
  ]
  assert.ok(samples.length >= 700, `${samples.length} samples`)
  for (const path of samples) assert.deepEqual(await totalOf(path), totalOfCamt(readFileSync(path, 'utf8')), path)
  t.diagnostic(`${samples.length} files`)
})

it('public samples of MT940 come to what their fields 61 come to, where they are whole', { skip }, async (t) => {
  const samples = files('wolph+mt940/mt940_tests/**/*.{sta,txt,mt940,940,STA}').filter((path) => {
    const text = readFileSync(path, 'latin1')
    return /^:20:/m.test(text) && /^:25P?:/m.test(text) && /^:6[02][FM]:/m.test(text) && !/^:6[02]F:[CD]\d{6}DEM/m.test(text)
  })
  assert.ok(samples.length >= 20, `${samples.length} samples`)
  for (const path of samples) assert.deepEqual(await totalOf(path), totalOfMt940(readFileSync(path, 'latin1')), path)
  t.diagnostic(`${samples.length} files`)
})

it('a ZIP of public samples is read as its files are', { skip }, async () => {
  const [path] = files('OCA+bank-statement-import/account_statement_import_camt/test_files/test-camt053.zip')
  assert.ok(path)
  const { entries } = await totalOf(path)
  assert.equal(entries, 6)
})
