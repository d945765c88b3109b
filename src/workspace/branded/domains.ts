/** The workspace's own hostname: claimed, verified by its DNS, provisioned with TLS, checked regularly, removed. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { refuseTaken } from '#kernel/database/violations.ts'
import { invalid } from '#kernel/errors.ts'
import type { Row } from '#kernel/records/resource.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { type Checked, checkDns, passes } from './dns.ts'
import { refusePlatformHost } from './hostname.ts'
import { instructionsFor } from './instructions.ts'
import type { Branding, Domain, Verified } from './schema.ts'

type DomainRow = Row<'branded_domains'>

const HOUR = 3600
const DAY = 24 * HOUR
/** Time for which a claim is checked every hour; afterwards only on request. */
const CLAIM_LIFETIME_SECONDS = 7 * DAY
/** Time after which a verified domain with wrong DNS records is no longer verified. */
const GRACE = 3 * DAY

/** Returns the workspace's domain, locked if it is to be changed. */
export const domainOf = (ctx: Ctx, lock = false): Promise<DomainRow | undefined> => {
  const query = ctx.from('branded_domains').selectAll()
  return (lock ? query.forUpdate() : query).executeTakeFirst()
}

/** A domain as shown to the workspace and to the operator (BRD-01). */
export const domainView = (row: DomainRow): z.input<typeof Domain> => ({
  id: row.id,
  domain: row.domain,
  type: 'custom',
  verified: row.verified_at !== null,
  verified_at: row.verified_at,
  ssl_provisioned: row.ssl_provisioned_at !== null,
  ssl_provisioned_at: row.ssl_provisioned_at,
  hosting_status: row.hosting_status,
  is_primary: true,
  claimed_at: row.claimed_at,
})

/** BRD-05; branding is active while the domain's hosting status is. */
export function brandingOf(ctx: Pick<Ctx, 'services'>, row: DomainRow | undefined): z.input<typeof Branding> {
  return {
    branded_active: row?.hosting_status === 'active',
    domain: row ? domainView(row) : null,
    instructions: row ? instructionsFor(ctx.services.config, row) : null,
  }
}

/** Claims a hostname, replacing the previous one (BRD-06). Claiming the same one again keeps its token and verification. */
export async function claim(ctx: Ctx, domain: string): Promise<DomainRow> {
  refusePlatformHost(ctx.services.config, domain)
  const before = await domainOf(ctx, true)
  if (before?.domain === domain) return before
  const claimed = {
    domain,
    token: randomBytes(16).toString('hex'),
    hosting_status: 'dns_pending' as const,
    verified_at: null,
    ssl_provisioned_at: null,
    failing_since: null,
    claimed_at: ctx.now,
    next_check_at: plusSeconds(ctx.now, HOUR),
  }
  await audit(ctx, 'branded_domain_claimed', { domain, before: before?.domain })
  await releaseHost(ctx)
  return ctx.tx
    .insertInto('branded_domains')
    .values({ ...claimed, tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet({ ...claimed, updated_at: ctx.now, revision: sql`branded_domains.revision + 1` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Checks the DNS records and changes the status to ssl_pending if they are right (BRD-08); otherwise returns the found and the
 * expected ones. 422 on `domain` if there is none to verify, or if another workspace has it.
 */
export async function verify(steps: WorkspaceSteps): Promise<z.input<typeof Verified>> {
  const claimed = await steps.read((ctx) => domainOf(ctx))
  if (!claimed) throw invalid({ domain: 'Claim a domain first.' })
  const found = await checkDns(steps.services.config, claimed)
  return steps.finish(async (ctx) => {
    const row = await noteChecks(ctx, claimed, found)
    return { ...brandingOf(ctx, row), verified: passes(found), checks: found.checks }
  })
}

/** Stores the result of a check, unless the domain was changed meanwhile. 422 on `domain` if another workspace has it. */
export async function noteChecks(ctx: Ctx, checked: DomainRow, found: Checked): Promise<DomainRow> {
  const row = await domainOf(ctx, true)
  if (row?.token !== checked.token) throw invalid({ domain: 'The domain was changed meanwhile.' })
  const { now } = ctx
  if (!found.answered) return save(ctx, row, { next_check_at: row.next_check_at && plusSeconds(now, HOUR) })
  if (passes(found)) {
    const verified = row.verified_at ? {} : { verified_at: now, hosting_status: 'ssl_pending' as const }
    if (!row.verified_at) {
      await holdHost(ctx, row.domain)
      await audit(ctx, 'branded_domain_verified', { domain: row.domain })
    }
    return save(ctx, row, { ...verified, failing_since: null, next_check_at: plusSeconds(now, DAY) })
  }
  if (!row.verified_at) {
    const waiting = Date.parse(now) - Date.parse(row.claimed_at) < CLAIM_LIFETIME_SECONDS * 1000
    return save(ctx, row, { next_check_at: waiting ? plusSeconds(now, HOUR) : null })
  }
  const failing_since = row.failing_since ?? now
  if (Date.parse(now) - Date.parse(failing_since) < GRACE * 1000)
    return save(ctx, row, { failing_since, next_check_at: plusSeconds(now, HOUR) })
  await audit(ctx, 'branded_domain_lost', { domain: row.domain, failing_since })
  await releaseHost(ctx)
  const lost = { verified_at: null, ssl_provisioned_at: null, hosting_status: 'dns_pending' as const, failing_since: null }
  return save(ctx, row, { ...lost, next_check_at: null })
}

const save = (ctx: Ctx, { id }: DomainRow, changes: Partial<DomainRow>): Promise<DomainRow> =>
  ctx
    .update('branded_domains')
    .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Reserves a hostname for the workspace; 422 on `domain` if another one has it. */
const holdHost = (ctx: Ctx, host: string) =>
  ctx.tx
    .insertInto('branded_hosts')
    .values({ host, tenant_id: ctx.tenant.id })
    .execute()
    .catch(refuseTaken({ branded_hosts_pkey: { domain: 'Another workspace has verified this domain.' } }))

const releaseHost = (ctx: Ctx) => ctx.deleteFrom('branded_hosts').execute()

/** Postpones the next check by a day if another workspace has the hostname. */
export const postpone = (ctx: Ctx, row: DomainRow) => save(ctx, row, { next_check_at: plusSeconds(ctx.now, DAY) })

/** Releases the hostname; no error if there is none (BRD-12). */
export async function remove(ctx: Ctx) {
  const row = await domainOf(ctx, true)
  if (!row) return
  await audit(ctx, 'branded_domain_removed', { domain: row.domain })
  await releaseHost(ctx)
  await ctx.deleteFrom('branded_domains').where('id', '=', row.id).execute()
}
