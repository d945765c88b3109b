/**
 * Screenshot in README: a list of the demo workspace in the console. `npm run picture` creates it; .ci/run checks that it is
 * current. Rendering differs between machines, so its text is compared, which is stored in the file as a comment.
 */
// CI stage: pages
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { makeDemo } from '../../src/demo/demo.ts'
import { freePort } from '../free-port.ts'
import { PASSWORD, startTest } from '../harness.ts'
import { evaluate, fill, heading, launch, newPage, press } from './person.ts'

const file = join(import.meta.dirname, '../../docs/console.png')
const MAX_BYTES = 150_000
/** Head of an uncompressed UTF-8 text chunk without a language. */
const PREFIX = 'Comment\0\0\0\0\0'
/** Excludes the number of unread notifications, which changes meanwhile. */
const READ = `[...document.querySelectorAll('nav, main')].map((part) => part.innerText).join('\\n')`

const browser = await launch()
after(() => browser.close())

/** Takes the screenshot and returns its text and bytes. */
async function taken() {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const world = await startTest({ machineClock: true, env: { BASE_URL: base } })
  world.clock.set('2026-11-20T10:00:00.000Z')
  await world.app.listen({ port, host: 'localhost' })
  const [firm] = await makeDemo(world.services, { workspaces: 1, records: 300, seed: 1, password: PASSWORD })
  const complaints: string[] = []
  const page = await newPage(browser, complaints)
  await page.setViewport({ width: 1220, height: 560 })
  await page.emulateTimezone('UTC')
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
  await page.goto(`${base}/sign-in?next=/w/${firm!.slug}/invoices`, { waitUntil: 'networkidle0' })
  await fill(page, { email: firm!.email, password: PASSWORD })
  await press(page, 'button', 'Sign in')
  await heading(page, 'Invoices')
  await page.waitForSelector('tbody tr')
  await page.waitForNetworkIdle()
  const text = await evaluate<string>(page, READ)
  const png = await page.screenshot({ optimizeForSpeed: false })
  assert.deepEqual(complaints, [])
  return { text, png: Buffer.from(png) }
}

/** Yields the chunks of a PNG: length, type, content, checksum. */
function* chunksOf(png: Buffer) {
  for (let at = 8; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), content: png.subarray(at + 8, end - 4), end }
    at = end
  }
}

/** Returns the PNG with the text as a comment after its header. */
function labelled(png: Buffer, text: string): Buffer {
  const content = Buffer.from(`iTXt${PREFIX}${text}`)
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length - 4)
  checksum.writeUInt32BE(crc32(content))
  const [head] = chunksOf(png)
  return Buffer.concat([png.subarray(0, head!.end), length, content, checksum, png.subarray(head!.end)])
}

const labelOf = (png: Buffer) =>
  [...chunksOf(png)]
    .find(({ type }) => type === 'iTXt')
    ?.content.toString()
    .slice(PREFIX.length)

it(process.env.PICTURE ? 'is made' : 'shows the console as it is', async () => {
  const { text, png } = await taken()
  if (process.env.PICTURE) writeFileSync(file, labelled(png, text))
  const kept = readFileSync(file)
  assert.equal(labelOf(kept), text, 'docs/console.png is stale: run npm run picture')
  assert.ok(kept.length < MAX_BYTES, `${kept.length} bytes`)
})
