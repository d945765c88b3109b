/** Tests of hostile texts that are made to crash the renderer, and of the effect on the server. */
// CI stage: bounds
// Own process: memory is measured, and the environment changed.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { startChild } from '../isolate/child.ts'
import { permissionFlags } from '../isolate/permissions.ts'
import { printable } from './printable.ts'
import { type PrinterLimits, pdfRenderer } from './renderer.ts'
import type { Drawn, RenderJob } from './worker.ts'

const limits: PrinterLimits = {
  PDF_PROCESSES: 2,
  PDF_TIMEOUT_SECONDS: 60,
  PDF_MEMORY_MB: 768,
  PDF_QUEUE: 100,
  PDF_QUEUE_PER_WORKSPACE: 20,
}
const log = pino({ level: 'silent' })
const printer = pdfRenderer(limits, log)
after(() => printer.stop())

/** Returns a document with the text, or its beginning, in every place where user text may appear. */
const withText = (text: string) => ({
  kind: 'Order',
  number: text.slice(0, 200),
  title: text.slice(0, 2000),
  issuer: { name: text.slice(0, 500), lines: [text.slice(0, 500)] },
  recipient: { label: 'Vendor', name: 'V', lines: [] },
  dates: [],
  lines: [{ description: text, detail: text.slice(0, 200), quantity: '1', unit_price: '1', tax_rate: '0', amount: '1' }],
  totals: [],
  notes: text.slice(0, 2000),
  footer: text.slice(0, 500),
})
const sheet = (data: unknown) => ({ for: 1, template: 'billing-documents/document', data })
const counted = async (result: string, of = printer) => {
  const { values } = await of.metrics[0]!.get()
  return values.find(({ labels }) => labels.result === result)?.value ?? 0
}

/** Repeats a unit. Default: above 65,535 bytes of UTF-8, a limit of the PDF writer. */
const fill = (unit: string, letters = (66_000 / Buffer.byteLength(unit)) * unit.length) =>
  unit.repeat(Math.ceil(letters / unit.length))
const points = (...of: number[]) => String.fromCodePoint(...of)

/** Texts that the shaper or the PDF writer fails on if they are passed unchanged. */
const hostile: Record<string, string> = {
  'one word of 65,000 letters': fill('W', 65_000),
  '65,000 accents on one letter': `a${fill('\u0301', 65_000)}`,
  '65,000 joiners': `क${fill('\u200d', 65_000)}`,
  '65,000 variation selectors': `a${fill('\ufe0f', 65_000)}`,
  'tag characters': `a${fill('\u{e0061}')}`,
  'nested embeddings': `${fill('\u202b', 30_000)}abc אבג${fill('\u2067', 30_000)}`,
  overrides: fill('\u202eabc \u202dאבג '),
  'emoji joined to a chain': fill('👩\u200d'),
  'skin tones': fill('👩\u{1f3fb}'),
  'regional indicators': fill('\u{1f1e6}'),
  keycaps: fill('1\ufe0f\u20e3'),
  'Arabic with marks': fill('ب\u0651\u064e'),
  'Thai without spaces': fill('กิ้'),
  Hebrew: fill('א'),
  'Hangul jamo': fill('\u1100\u1161\u11a8'),
  Tibetan: fill('\u0f40\u0f90'),
  Khmer: fill('\u1780\u17d2'),
  Myanmar: fill('\u1000\u1039'),
  Brahmi: fill(points(0x11013, 0x11046)),
  'no character at all': fill('\u0378'),
  'private use': fill('\ue000'),
  'mathematical letters': fill('\u{1d400}'),
  'lone surrogates': fill('\ud800a'),
  'control characters': fill('\0\x1b[31m\x07'),
  'zero-width spaces': fill('\u200b'),
  'no-break spaces': fill('\u00a0'),
  'words with no-break spaces': fill('i\u00a0\u2007\u202f'),
  'line breaks': fill('\n', 5_000),
  'Han and all the rest': fill('中aकا한ა '),
}
const viramas = { Deva: [0x915, 0x94d], Beng: [0x995, 0x9cd], Guru: [0xa15, 0xa4d], Gujr: [0xa95, 0xacd], Orya: [0xb15, 0xb4d] }
const more = { Taml: [0xb95, 0xbcd], Telu: [0xc15, 0xc4d], Knda: [0xc95, 0xccd], Mlym: [0xd15, 0xd4d], Sinh: [0xd9a, 0xdca] }
for (const [script, pair] of Object.entries({ ...viramas, ...more })) {
  hostile[`a chain of ${script} consonants`] = fill(points(...pair), 6_000)
  hostile[`joined ${script} consonants`] = fill(points(...pair, 0x200d), 6_000)
}
hostile['Devanagari vowel signs'] = `क${fill('\u093f')}`
hostile['composed Devanagari letters'] = fill('\u0958\u094d')
hostile['split Sinhala vowels'] = fill('\u0d9a\u0ddd', 6_000)

describe('a hostile text', () => {
  it('is printed, whatever it is, without ending a process', async () => {
    const before = process.memoryUsage().rss
    const printed = Object.entries(hostile).map(async ([name, text], index) => {
      const pdf = await printer.render({ ...sheet(withText(text)), for: index })
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-', name)
    })
    await Promise.all(printed)
    for (const result of ['crashed', 'out_of_memory', 'timed_out']) assert.equal(await counted(result), 0, result)
    assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20)
  })

  it('keeps what people write as it is', () => {
    const real = [
      'Zoë – 10 €',
      'ক্ষত্রিয় হিন্দুস্তান',
      'स्त्री राष्ट्र कार्त्स्न्य',
      '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇸🇪 👍🏽 1️⃣',
      'ভাষা',
      'ཧྐྵྨླྺྼྻྂ',
      'تَشْكِيلٌ',
      'שָׁלוֹם',
      '한국어',
      'ภาษาไทยที่นี่',
      '上海市浦东新区',
    ]
    for (const text of real) assert.equal(printable(text), text)
    assert.equal(printable('a\r\nb\u2028c\td\0\u202ee'), 'a\nb\nc de')
  })

  it('of 1,000 lines is printed', async () => {
    const lines = Array.from({ length: 1000 }, (_, n) => ({
      ...withText('').lines[0],
      description: `Line ${n} ${'क्'.repeat(200)}`,
    }))
    const pdf = await printer.render(sheet({ ...withText('x'), lines }))
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  })

  it('of more than 4 MB is refused', async () => {
    await assert.rejects(printer.render(sheet(withText('x'.repeat(5 * 2 ** 20)))), { status: 422, code: 'NOT_PRINTABLE' })
  })
})

describe('a process that draws', () => {
  const program = new URL('./worker.ts', import.meta.url)
  const startDrawing = () => startChild<RenderJob, Drawn>(program, { execArgv: permissionFlags({ addons: true }) })
  const wild = (template: string, text = '') => ({ template, data: JSON.stringify(text), files: {} })
  const endless = '#for i in range(100000) { for j in range(10000) { let k = i } }'
  const greedy = '#let list = range(1000).map(str)\n#for i in range(30) { list = list + list }\n#list.len()'

  it('may be killed by somebody: a fresh one draws the document', { skip: process.platform !== 'linux' }, async () => {
    const one = pdfRenderer({ ...limits, PDF_PROCESSES: 1 }, log)
    const others = new Set(childrenOf(process.pid))
    await one.render(sheet(withText('warm')))
    const [pid] = childrenOf(process.pid).filter((id) => !others.has(id))
    const first = one.render(sheet(withText('long '.repeat(100_000))))
    process.kill(pid!, 'SIGKILL')
    assert.equal((await first).subarray(0, 5).toString(), '%PDF-')
    await one.stop()
  })

  it('is ended when it takes too long', async () => {
    const child = startDrawing()
    const outcome = await child.ask(wild(endless), { seconds: 1, megabytes: 1000 })
    assert.partialDeepStrictEqual(outcome, { died: 'timed_out', why: 'more than 1 s' })
    assert.ok('died' in outcome && outcome.cpuSeconds > 1)
    assert.ok(child.ended)
  })

  it('is ended when it takes too much memory', async () => {
    const child = startDrawing()
    assert.partialDeepStrictEqual(await child.ask(wild(greedy), { seconds: 20, megabytes: 400 }), {
      died: 'out_of_memory',
      why: 'more than 400 MB',
    })
  })

  it('tells which panic ended it', async () => {
    const child = startDrawing()
    const dead = await child.ask(wild(`#set text(font: "Noto Sans")\n${fill('क्', 600)}`), { seconds: 20, megabytes: 500 })
    assert.ok('died' in dead && dead.died === 'crashed' && /panicked/.test(dead.why), JSON.stringify(dead))
  })

  it('runs under the permissions of children that read what strangers wrote', {
    skip: process.platform !== 'linux',
  }, async () => {
    const one = pdfRenderer({ ...limits, PDF_PROCESSES: 1 }, log)
    const others = new Set(childrenOf(process.pid))
    await one.render(sheet(withText('permitted')))
    const [pid] = childrenOf(process.pid).filter((id) => !others.has(id))
    const flags = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    for (const flag of permissionFlags({ addons: true })) assert.ok(flags.includes(flag), flag)
    assert.ok(
      flags.every((flag) => !/^--allow-(net|fs-write|child-process)/.test(flag)),
      String(flags),
    )
    await one.stop()
  })

  it('has nothing of the server’s environment', { skip: process.platform !== 'linux' }, async () => {
    process.env.A_SECRET = 'of the server'
    const child = startDrawing()
    await child.ask(wild('hello'), { seconds: 20, megabytes: 500 })
    for (const pid of childrenOf(process.pid)) assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /SECRET|PATH/)
    await child.end()
  })

  it('ends with its parent, even while it draws', { skip: process.platform !== 'linux' }, async () => {
    const code = `const { startChild } = await import(${JSON.stringify(new URL('../isolate/child.ts', import.meta.url).href)})
      const child = startChild(new URL(${JSON.stringify(program.href)}))
      child.ask({ template: ${JSON.stringify(endless)}, data: '""', files: {} }, { seconds: 60, megabytes: 500 })
      setTimeout(() => console.log('drawing'), 500)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(parent.stdout, 'data')
    const [pid] = childrenOf(parent.pid!)
    assert.ok(pid && existsSync(`/proc/${pid}`))
    parent.kill('SIGKILL')
    while (existsSync(`/proc/${pid}`) && !/State:\s+Z/.test(statusOf(pid)))
      await new Promise((resolve) => setTimeout(resolve, 20))
  })
})

describe('the queue', () => {
  it('that is full refuses its caller with 503, and others not', async () => {
    const one = pdfRenderer({ ...limits, PDF_PROCESSES: 1, PDF_QUEUE_PER_WORKSPACE: 1 }, log)
    const asked = [1, 1, 1, 2].map((caller, n) => one.render({ ...sheet(withText(`document ${n}`)), for: caller }))
    const [first, second, third, other] = await Promise.allSettled(asked)
    assert.deepEqual(
      [first!.status, second!.status, third!.status, other!.status],
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    const { status, code, headers } = (third as PromiseRejectedResult).reason
    assert.deepEqual([status, code, headers], [503, 'PRINTER_BUSY', { 'retry-after': '5' }])
    assert.equal(await counted('refused', one), 1)
    await one.stop()
  })
})

describe('the printer', () => {
  it('draws the same document once, and tells a template that there is not', async () => {
    const one = pdfRenderer(limits, log)
    const [a, b] = await Promise.all([one.render(sheet(withText('same'))), one.render(sheet(withText('same')))])
    assert.ok(a.equals(b) && a.equals(await one.render(sheet(withText('same')))))
    assert.deepEqual([await counted('drawn', one), await counted('kept', one)], [1, 1])
    await assert.rejects(one.render({ for: 1, template: '../kernel/secret', data: {} }), /no PDF template/)
    await one.stop()
  })

  it('remembers for an hour that a document takes too long, and tries another one', async () => {
    const one = pdfRenderer({ ...limits, PDF_TIMEOUT_SECONDS: 1 }, log)
    await one.render(sheet(withText('warm')))
    const long = sheet(withText('a-'.repeat(700_000)))
    for (let n = 0; n < 2; n++) await assert.rejects(one.render(long), { status: 503, code: 'PRINTING_TIMED_OUT' })
    await assert.rejects(one.renderPages(long), { status: 503, code: 'PRINTING_TIMED_OUT' })
    assert.deepEqual([await counted('timed_out', one), await counted('remembered', one)], [2, 1])
    assert.equal((await one.render(sheet(withText('short')))).subarray(0, 5).toString(), '%PDF-')
    await one.stop()
  })

  it('prints a short document while another workspace prints long ones', async () => {
    const one = pdfRenderer({ ...limits, PDF_TIMEOUT_SECONDS: 4 }, log)
    const ended: string[] = []
    const print = (caller: number, name: string, text: string) =>
      one
        .render({ ...sheet(withText(text)), for: caller })
        .catch((error) => assert.equal(error.status, 503))
        .then(() => ended.push(name))
    const long = [1, 2, 3].map((n) => print(1, 'long', `${n} ${'a-'.repeat(700_000)}`))
    await print(2, 'short', 'a neighbour')
    assert.ok(ended.filter((name) => name === 'long').length < 3, String(ended))
    await Promise.all(long)
    assert.equal(ended.length, 4)
    await one.stop()
  })

  it('that is stopped gives what was asked for, and leaves no process behind', async () => {
    const one = pdfRenderer(limits, log)
    const before = childrenOf(process.pid).length
    const asked = [1, 2, 3, 4].map((n) => one.render(sheet(withText(`last ${n}`))))
    await one.stop()
    assert.equal((await Promise.all(asked)).length, 4)
    assert.equal(childrenOf(process.pid).length, before)
    await assert.rejects(one.render(sheet(withText('too late'))), { status: 503 })
  })
})

function childrenOf(pid: number) {
  const listed = execFileSync('ps', ['-o', 'pid=,ppid=,args=', '-A'], { encoding: 'utf8' }).split('\n')
  return listed
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && args.join(' ').includes('worker.ts'))
    .map(([id]) => Number(id))
}

const statusOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
