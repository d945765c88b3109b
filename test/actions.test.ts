/** What `GET /:id/actions` tells of every record of a firm that has worked for a while, against what the routes answer: each is tried, dry. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { openApi } from '#kernel/http/openapi.ts'
import { type Client, type Reply, startTest, type Workspace } from './harness.ts'

/** Refusals that nobody knows before: other modules judge them when they are told, or what is sent decides. */
const KNOWN_WHEN_DONE = [/^deleteWarehouse: There is stock in this warehouse/]

interface Action {
  key: string
  method: string
  path: string
  allowed: boolean
  reason: { code: string; message: string } | null
}

const world = await startTest()
let firm: Workspace
let document: { paths: Record<string, unknown> }
before(async () => {
  firm = await world.workspace()
  await fillDemo(world.services, firm.id, { records: 12, seed: 1 })
  document = JSON.parse(JSON.stringify(await openApi(world.services.modules, 'workspace', '')))
})

it('is told as the routes answer', async () => {
  const wrong = new Set<string>()
  let tried = 0
  for (const template of Object.keys(document.paths)) {
    if (!/^[^{]*\{\w+\}\/actions$/.test(template)) continue
    const list = template.slice(0, template.indexOf('/{'))
    for (const row of await differing(firm.owner, list)) {
      const key = String(template.includes('{uuid}') ? row.uuid : row.id)
      await world.sql('DELETE FROM rate_limits')
      const { body } = await firm.owner.get(`${list}/${key}/actions`)
      assert.ok(body.data, `${list}/${key}: ${JSON.stringify(body)}`)
      for (const action of body.data as Action[]) {
        if (!['POST', 'DELETE'].includes(action.method)) continue
        const reply = await dryRun(action, key)
        const said = `${action.key}: ${Object.values(reply.body.errors ?? {})[0] ?? reply.body.message}`
        tried++
        if (isAsTold(action, reply) || KNOWN_WHEN_DONE.some((known) => known.test(said))) continue
        wrong.add(`${said} (${row.status ?? key}: told as ${action.reason?.message ?? 'possible'})`)
      }
    }
  }
  assert.deepEqual([...wrong], [])
  assert.ok(tried > 300, `only ${tried} were tried`)
})

/** Of the first hundred rows of a list two of each state. */
async function differing(by: Client, list: string): Promise<Record<string, any>[]> {
  const { body } = await by.get(list, { query: { per_page: 100 } })
  const byState = Object.values(Object.groupBy(body.data as Record<string, any>[], ({ status }) => String(status)))
  return byState.flatMap((rows) => rows!.slice(0, 2))
}

function dryRun({ method, path }: Action, key: string): Promise<Reply> {
  const at = path.replace(/\{\w+\}/, key)
  const options = { headers: { 'dry-run': 'true' } }
  return method === 'DELETE' ? firm.owner.del(at, options) : firm.owner.post(at, {}, options)
}

/** What isn't sent says nothing about the record. */
function isAsTold({ allowed, reason }: Action, { status, body }: Reply) {
  const lacksWhatIsSent = /is required|must name|must have|choose|at least/i.test(JSON.stringify(body.errors ?? ''))
  return allowed ? status < 400 || lacksWhatIsSent : status >= 400 && (lacksWhatIsSent || body.code === reason!.code)
}
