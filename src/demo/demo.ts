/** `npm run demo`: creates workspaces with plausible data, for trying the product and for the benchmark. */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Presets, SingleBar } from 'cli-progress'
import pino from 'pino'
import { hashPassword } from '#kernel/auth/passwords.ts'
import { readConfig } from '#kernel/config.ts'
import { inPublic, originOf, type Services } from '#kernel/context.ts'
import { calendarOf } from '#kernel/demo/calendar.ts'
import { fillDemo, fillPlatformDemo, type Progress } from '#kernel/demo/parts.ts'
import { startServices } from '#kernel/process/start.ts'
import { ensureFirstAdmin } from '#platform/account/public.ts'
import { installAll, provision } from '#platform/tenants/public.ts'
import { type Firm, firms } from './firms.ts'

const usage = `npm run demo -- [--workspaces N] [--records N] [--seed N]
  --workspaces  how many workspaces to make, of two kinds in turn (2)
  --records     purchase orders in the first; everything else in proportion (300)
  --seed        another seed makes other data (1)`

export async function demo(args: string[]) {
  const options = readOptions(args)
  const config = readConfig(process.env)
  const log = pino({ level: process.env.LOG_LEVEL ? config.LOG_LEVEL : 'error' })
  const services = await startServices(config, { worker: false, command: true, log })
  try {
    const password = randomBytes(9).toString('base64url')
    const made = await makeDemo(services, { ...options, password, tell: console.log, report: reporter() })
    printSignIns(config.BASE_URL, made, password)
  } finally {
    await services.stop()
  }
}

/** Creates workspaces of the demo's companies in turn, fills them, and fills the platform. */
export async function makeDemo(
  services: Services,
  { workspaces, records, seed, password, tell, report }: Options & Reporters & { password: string },
): Promise<DemoWorkspace[]> {
  const made: DemoWorkspace[] = []
  for (let n = 0; n < workspaces; n++) {
    const firm = firms[n % firms.length]!
    const workspace = await makeDemoWorkspace(services, password, firm)
    tell?.(`Filling the workspace ${workspace.slug}`)
    await fillDemo(services, workspace.id, { records: Math.ceil(records * firm.size), seed: seed + n, report })
    made.push(workspace)
  }
  tell?.('Filling the platform')
  await ensureFirstAdmin(services) // also seeds the roles, as at the first start
  await fillPlatformDemo(
    services,
    made.map(({ id }) => id),
    { seed, report },
  )
  return made
}

interface Reporters {
  tell?: (line: string) => void
  report?: (progress: Progress) => void
}

interface Options {
  workspaces: number
  records: number
  seed: number
}

function readOptions(args: string[]): Options {
  const option = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { workspaces: option, records: option, seed: option } })
  const whole = (name: keyof typeof values, standard: number, least: number) => {
    const value = Number(values[name] ?? standard)
    if (!Number.isSafeInteger(value) || value < least)
      throw new Error(`--${name} must be a whole number from ${least} on.\n${usage}`)
    return value
  }
  return { workspaces: whole('workspaces', 2, 1), records: whole('records', 300, 1), seed: whole('seed', 1, 0) }
}

export interface DemoWorkspace {
  id: number
  ownerId: number
  slug: string
  email: string
}

/** Creates an empty workspace with every module, founded when its history begins. The slug is numbered if it exists already. */
export async function makeDemoWorkspace(services: Services, password: string, firm: Firm = firms[0]): Promise<DemoWorkspace> {
  const { tenant, owner, email, settings } = firm
  const now = calendarOf(tenant.timezone, services.clock.now()).instant(0)!
  const then = { ...services, clock: { now: () => now } }
  const password_hash = await hashPassword(password)
  const made = await inPublic(originOf(then), 'write', async (ctx) => {
    const { id, ownerId } = await provision(ctx, {
      ...tenant,
      email,
      owner: { name: owner, email, password_hash, verified: true },
    })
    const rows = Object.entries(settings).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
    await ctx.tx
      .insertInto('workspace_settings')
      .values(rows.map((setting) => ({ ...setting, tenant_id: id, updated_at: now })))
      .execute()
    const { slug } = await ctx.tx.selectFrom('tenants').select('slug').where('id', '=', id).executeTakeFirstOrThrow()
    return { id, ownerId, slug, email }
  })
  await installAll(then, made.id)
  return made
}

/** Returns a progress reporter: a bar on a terminal, else a line per filled module. */
function reporter() {
  let began = 0
  const bar = process.stdout.isTTY
    ? new SingleBar({ format: '  {title} [{bar}] {made}', hideCursor: true }, Presets.shades_classic)
    : undefined
  return ({ module, done, made }: Progress) => {
    const title = module.title.padEnd(16)
    if (done === 0 && made === undefined) {
      began = performance.now()
      bar?.start(1, 0, { title, made: '' })
    }
    const facts =
      made === undefined ? '' : `${made.toLocaleString('en').padStart(9)}  ${((performance.now() - began) / 1000).toFixed(1)} s`
    bar?.update(done, { title, made: facts })
    if (made === undefined) return
    if (bar) bar.stop()
    else console.log(`  ${title} ${facts}`)
  }
}

function printSignIns(base: string, made: DemoWorkspace[], password: string) {
  const [{ slug, email }] = made as [DemoWorkspace]
  const body = JSON.stringify({ email, password, workspace: slug })
  console.log(`
Sign in at ${base} (npm start, unless it runs already):
${made.map((one) => `  ${one.slug.padEnd(26)}${one.email}`).join('\n')}
  password: ${password} (the colleagues' too)

By the API:

  curl -X POST ${base}/api/tenant/v1/auth/login -H 'content-type: application/json' -d '${body}'
  curl ${base}/api/tenant/v1/dashboard -H 'authorization: Bearer <token>'`)
}
