/**
 * Most expensive use of child processes, PDF renderer and event loop that a member may make, by one, two and eight workspaces at
 * once.
 */
import { sharedStreamPdf } from '../../test/fixtures/shared-stream-pdf.ts'
import { type Api, dataOf } from './api.ts'
import type { Attack } from './attack.ts'

const LINE = { name: 'Desk', quantity: 1, unit_price: 10 }
const COUNTS = [1, 2, 8]
/** Concurrent requests of each workspace. */
const AT_ONCE = 3

/** Returns an attack by one, two and eight workspaces. `prepare` creates what each needs and returns its n-th attempt. */
const ofMany = (finding: string, does: string, prepare: (api: Api) => Promise<(n: number) => Promise<unknown>>): Attack[] =>
  COUNTS.map((attackers) => ({
    finding,
    does: `${does}, ${attackers} ${attackers === 1 ? 'workspace' : 'workspaces'}`,
    attackers,
    atOnce: AT_ONCE,
    prepare,
  }))

const pdfs = ofMany('S3-H1', 'agents read PDFs of pages that share a stream', async (api) => {
  const ids: number[] = []
  for (const operators of [80_000, 80_002, 80_004]) {
    const form = new FormData()
    form.append('title', 'Long')
    form.append('file', new File([new Uint8Array(sharedStreamPdf(250, operators))], 'long.pdf'))
    ids.push((await dataOf(api.post('/documents', form))).id)
  }
  return (n) => {
    const args = { operation: 'downloadDocument', path: { id: ids[n % ids.length]! } }
    return api.post('/mcp', {
      jsonrpc: '2.0',
      id: n,
      method: 'tools/call',
      params: { name: 'get_document', arguments: args },
    })
  }
})

const prints = ofMany('S3-H1', 'documents that take long to print', async (api) => {
  const [{ id: vendor_id }] = await dataOf(api.get('/vendors?per_page=1'))
  return async (n) => {
    // Typesetting takes longest if a line may break at every second letter. Each document is a new one.
    const lines = Array.from({ length: 14 }, (_, line) => ({
      ...{ description: `${n} ${line} ${'a-'.repeat(31_000)}`, quantity: 1, unit_price: 1 },
    }))
    const { body } = await api.post('/purchase-orders', { vendor_id, title: `Heavy ${n}`, lines })
    if (body?.data) await api.get(`/purchase-orders/${body.data.id}/pdf`)
  }
})

const longLines = (n: number) =>
  Array.from({ length: 14 }, (_, line) => ({ ...LINE, body: `<p>${n} ${line}</p>${'<p>a</p>'.repeat(7500)}` }))

const bulk = ofMany('S3-H2', 'bulk changes of long HTML', async (api) => {
  const { id } = await dataOf(api.post('/quotations', { title: 'Desk', lines: [LINE] }))
  return (n) => api.post('/quotations/bulk', { ids: [id], action: 'update', changes: { lines: longLines(n) } })
})

const exports = ofMany('S3-M6', 'exports of long HTML', async (api) => {
  for (let n = 0; n < 4; n++) await dataOf(api.post('/quotations', { title: `Desk ${n}`, lines: longLines(n) }))
  return (n) => api.get(`/quotations/export?format=${['xlsx', 'csv'][n % 2]}`)
})

export default [...pdfs, ...prints, ...bulk, ...exports]
