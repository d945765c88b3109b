/** docs/tour.md and the two minutes of README.md do what they say: their shell blocks are run against the real process. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { privateFolder, startService } from './service.ts'

const root = join(import.meta.dirname, '..')
const blocks = (page: string, language: string) => {
  const fenced = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')
  return [...readFileSync(join(root, page), 'utf8').matchAll(fenced)].map(([, text]) => text!)
}

/** `ADMIN_EMAIL=… ADMIN_PASSWORD='…' npm start`, as the tour tells it. */
function startEnvironment() {
  const [line = ''] = blocks('docs/tour.md', 'console')
  assert.match(line, / npm start\n$/)
  return Object.fromEntries(
    [...line.matchAll(/([A-Z_]+)=(?:'([^']*)'|(\S+))/g)].map(([, name, quoted, plain]) => [name!, quoted ?? plain!]),
  )
}

async function bash(script: string, cwd: string, env: Record<string, string>) {
  const { PATH = '' } = process.env
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => void (text += chunk))
  const [code] = await once(shell, 'close')
  return { code, text }
}

const skip = spawnSync('curl', ['--version']).error && 'there is no curl'

test('the tour leads from an empty folder to a received, printed, converted purchase order', { skip }, async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const service = await startService({ DATA_DIR: dataDir, ...startEnvironment() })
  t.after(() => service.stop())

  const { code, text } = await bash(blocks('docs/tour.md', 'sh').join('\n'), dataDir, { BASE: service.url })
  assert.equal(code, 0, text)
  t.diagnostic(text)

  for (const said of [
    /^vendors\nproducts\nwarehouses\ninventory\nexpenses\npurchase-orders$/m,
    /^PO-00001: 603 \+ 42\.13 = 645\.13 EUR$/m,
    /^sent on \d{4}-\d\d-\d\d$/m,
    /^sent: Our order for March -> orders@serra\.example$/m,
    /^received$/m,
    /^Beans for March: 645\.13 EUR, draft$/m,
    /Converted to expense \d+\n.*Status changed from sent to received\n.*Status changed from draft to sent\n.*Created\n$/,
  ])
    assert.match(text, said)

  const pdf = readFileSync(join(dataDir, 'purchase-order.pdf'))
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  assert.ok(pdf.length > 5000)

  const [, , quick] = blocks('README.md', 'sh')
  const readme = await bash(quick!, dataDir, { BASE: service.url })
  assert.equal(readme.code, 0, readme.text)
  assert.match(readme.text, /^firm\nvendors\npurchase-orders\nPO-00001 58\.8\n$/)

  const { url, stop } = await startEmbedded({ dataDir }) // joins the server that the service runs
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET ROLE app_platform')
  const { rows } = await client.query('SELECT on_hand::float FROM stock_levels')
  await client.end()
  await stop()
  assert.deepEqual(rows, [{ on_hand: 40 }])
})
