/** What others may ask of branded domains. */
import type { BaseCtx } from '#kernel/context.ts'
import { installedModules } from '#kernel/modules/subscriptions.ts'

/** The workspace whose verified hostname it is, as long as it has the module; undefined for any other host. For transactions of the platform and the public. */
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
export { domainView } from './domains.ts'
export { Domain } from './schema.ts'
