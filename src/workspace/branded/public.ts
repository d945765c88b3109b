/** Functions about branded domains for other modules. */
import { sql } from 'kysely'
import type { BaseCtx, Ctx } from '#kernel/context.ts'
import { installedModules, LIVE } from '#kernel/modules/subscriptions.ts'
import { domainOf } from './domains.ts'

/**
 * Returns the workspace with this verified hostname, as long as it has the module; undefined for any other host. For transactions
 * of the platform and the public.
 */
export async function workspaceOfHost({ tx }: BaseCtx, host: string): Promise<{ id: number; slug: string } | undefined> {
  const found = await tx
    .selectFrom('branded_hosts as h')
    .innerJoin('tenants as t', 't.id', 'h.tenant_id')
    .select(['t.id', 't.slug'])
    .where('h.host', '=', host)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst()
  return found && (await installedModules(tx, found.id)).has('branded') ? found : undefined
}

/** Returns the host of a request, without its port. */
export const hostName = ({ request }: BaseCtx) => request.host.split(':')[0]!.toLowerCase()

/**
 * Returns the workspace of a request's host: `<slug>.<platform domain>`, or its own verified domain. Undefined for the service's
 * own address.
 */
export async function slugOfHost(ctx: BaseCtx): Promise<string | undefined> {
  const { PLATFORM_DOMAIN, BASE_URL } = ctx.services.config
  const name = hostName(ctx)
  const domain = `.${PLATFORM_DOMAIN.toLowerCase()}`
  if (name === new URL(BASE_URL).hostname) return undefined
  return name.endsWith(domain) ? name.slice(0, -domain.length) : (await workspaceOfHost(ctx, name))?.slug
}

/**
 * Returns which of these hosts are verified ones of workspaces with the module, in one query. For transactions of the platform.
 */
export async function verifiedHosts(tx: BaseCtx['tx'], hosts: string[], isCluster: boolean): Promise<Set<string>> {
  if (isCluster) return verifiedOnCluster(tx, hosts)
  const { rows } = await sql<{ host: string }>`
    select h.host from branded_hosts h join tenants t on t.id = h.tenant_id
    where h.host = any(${hosts}::text[]) and t.deleted_at is null and exists (
      select from module_subscriptions m where m.tenant_id = t.id and m.module_key = 'branded' and m.status in (${sql.join(LIVE)}))`.execute(
    tx,
  )
  return new Set(rows.map(({ host }) => host))
}

/** On a cluster, hosts are on one node and module subscriptions on the node of their workspace: a query for each. */
async function verifiedOnCluster(tx: BaseCtx['tx'], hosts: string[]): Promise<Set<string>> {
  if (!hosts.length) return new Set()
  const named = await tx
    .selectFrom('branded_hosts as h')
    .innerJoin('tenants as t', 't.id', 'h.tenant_id')
    .select(['h.host', 'h.tenant_id'])
    .where('h.host', 'in', hosts)
    .where('t.deleted_at', 'is', null)
    .execute()
  if (!named.length) return new Set()
  const { rows: having } = await sql<{ tenant_id: number }>`
    select tenant_id from module_subscriptions
    where module_key = 'branded' and status in (${sql.join(LIVE)}) and tenant_id = any (${named.map(({ tenant_id }) => tenant_id)}::bigint[])`.execute(
    tx,
  )
  const open = new Set(having.map(({ tenant_id }) => tenant_id))
  return new Set(named.flatMap(({ host, tenant_id }) => (open.has(tenant_id) ? host : [])))
}

/** Address of the workspace for customers: its own hostname if that is active, otherwise the service's address. */
export async function brandedAddress(ctx: Ctx): Promise<string> {
  const own = ctx.entitled('branded') ? await domainOf(ctx) : undefined
  return own?.hosting_status === 'active' ? `https://${own.domain}` : ctx.services.config.BASE_URL
}

export { domainView } from './domains.ts'
export { Domain } from './schema.ts'
