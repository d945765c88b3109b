/** `npm run demo`: makes workspaces and fills them with believable data, for people to look at and for the benchmark. */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Presets, SingleBar } from 'cli-progress'
import pino from 'pino'
import { hashPassword } from '#kernel/auth/passwords.ts'
import { inPublic, originOf, type Services } from '#kernel/context.ts'
import { calendarOf, fillDemo, type Progress } from '#kernel/modules/demo.ts'
import { readConfig } from '#kernel/process/config.ts'
import { startServices } from '#kernel/process/start.ts'
import { installAll, provision } from '#platform/tenants/public.ts'

const usage = `npm run demo -- [--workspaces N] [--records N] [--seed N]
  --workspaces  how many workspaces to make (1)
  --records     purchase orders in each; everything else in proportion (300)
  --seed        another seed makes other data (1)`

const company = {
  company_name: 'Northwind Trading',
  timezone: 'America/Los_Angeles',
  currency: 'USD',
  country: 'US',
  locale: 'en',
}
const letterhead = {
  company_address: '2817 Milton Drive\nSeattle, WA 98101',
  company_phone: '+1 206 555 0100',
  company_email: 'office@northwind-trading.example',
  tax_registration_id: '91-1144442',
  document_footer: 'Northwind Trading, registered in the State of Washington',
}

export async function demo(args: string[]) {
  const { workspaces, records, seed } = readOptions(args)
  const config = readConfig(process.env)
  const log = pino({ level: process.env.LOG_LEVEL ? config.LOG_LEVEL : 'error' })
  const services = await startServices(config, { worker: false, log })
  try {
    const password = randomBytes(9).toString('base64url')
    const made: DemoWorkspace[] = []
    for (let n = 0; n < workspaces; n++) {
      const workspace = await makeDemoWorkspace(services, password)
      console.log(`Filling the workspace ${workspace.slug}`)
      await fillDemo(services, workspace.id, { records, seed: seed + n, report: reporter() })
      made.push(workspace)
    }
    tellHow(config.BASE_URL, made, password)
  } finally {
    await services.stop()
  }
}

function readOptions(args: string[]) {
  const option = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { workspaces: option, records: option, seed: option } })
  const whole = (name: keyof typeof values, standard: number, least: number) => {
    const value = Number(values[name] ?? standard)
    if (!Number.isSafeInteger(value) || value < least)
      throw new Error(`--${name} must be a whole number from ${least} on.\n${usage}`)
    return value
  }
  return { workspaces: whole('workspaces', 1, 1), records: whole('records', 300, 1), seed: whole('seed', 1, 0) }
}

export interface DemoWorkspace {
  id: number
  ownerId: number
  slug: string
  email: string
}

/** An empty workspace with every module there is. It was founded when its history begins; of several, the slug is counted up. */
export async function makeDemoWorkspace(services: Services, password: string): Promise<DemoWorkspace> {
  const email = 'demo@northwind-trading.example'
  const now = calendarOf(company.timezone, services.clock.now()).instant(0)!
  const password_hash = await hashPassword(password)
  const made = await inPublic({ ...originOf(services), now }, 'write', async (ctx) => {
    const { id, ownerId } = await provision(ctx, {
      ...company,
      email,
      owner: { name: 'Dana Demo', email, password_hash, verified: true },
    })
    const settings = Object.entries(letterhead).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
    await ctx.tx
      .insertInto('workspace_settings')
      .values(settings.map((setting) => ({ ...setting, tenant_id: id, updated_at: now })))
      .execute()
    const { slug } = await ctx.tx.selectFrom('tenants').select('slug').where('id', '=', id).executeTakeFirstOrThrow()
    return { id, ownerId, slug, email }
  })
  await installAll(services, made.id)
  return made
}

/** A bar that moves on a terminal; elsewhere a line for each module when it is filled. */
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

function tellHow(base: string, made: DemoWorkspace[], password: string) {
  const [{ slug, email }] = made as [DemoWorkspace]
  const body = JSON.stringify({ email, password, workspace: slug })
  console.log(`
Sign in (npm start, unless it runs already):
  workspace  ${made.map((one) => one.slug).join(', ')}
  e-mail     ${email}
  password   ${password}   (the colleagues' too)

  curl -X POST ${base}/api/tenant/v1/auth/login -H 'content-type: application/json' -d '${body}'
  curl ${base}/api/tenant/v1/purchase-orders -H 'authorization: Bearer <token>'`)
}
