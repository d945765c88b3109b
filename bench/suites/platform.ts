/** Operator's pages with many workspaces, each with a subscription and a paid invoice. */
import { sql } from 'kysely'
import { issueToken } from '#kernel/auth/tokens.ts'
import { inPublic, originOf } from '#kernel/context.ts'
import { aims, type Case, type Stage, type Suite } from '../prepare.ts'

export default {
  title: 'Platform',
  async cases(stage, records): Promise<Case[]> {
    const { id } = await stage.workspace(300)
    const { services, caseOf } = stage
    const token = await fill(stage, records)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const at = (path: string) => `/api/central/v1/${path}`
    const among = `among ${records.toLocaleString('en')}`
    const list = async (key: string, name: string, path = key) => ({
      ...(await caseOf(key, `${name} ${among}`, token, at(path))),
      atLeast: aims.list,
    })
    return [
      await list('tenants', 'workspaces: list of 25'),
      await caseOf('search', `workspaces: search ${among}`, token, at('tenants?search=firm%2077')),
      await caseOf('tenant', 'a workspace', token, at(`tenants/${id}`)),
      await list('module-subscriptions', 'subscriptions: list of 25'),
      await list('invoices', 'ledger: list of 25 invoices'),
      { ...(await caseOf('dashboard', `dashboard, by one, ${among}`, token, at('dashboard'))), by: 1 },
      await caseOf('modules', 'catalogue', token, at('modules')),
    ]
  },
} satisfies Suite

/** Inserts workspaces. Returns a token of the platform's superadmin. */
const fill = ({ services }: Stage, records: number) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const at = sql`${ctx.now}::timestamptz - n * interval '5 minutes'`
    await sql`
      with made as (
        insert into tenants (company_name, workspace_name, slug, email, created_at, updated_at)
        select 'Firm ' || n, 'Firm ' || n, 'bench-firm-' || n, 'office' || n || '@bench.example', ${at}, ${at}
        from generate_series(1, ${records}::int) n returning id, created_at
      ), subscribed as (
        insert into module_subscriptions (tenant_id, module_id, module_key, status, source, created_at, updated_at)
        select made.id, m.id, m.key, 'active', 'included', made.created_at, made.created_at
        from made cross join (select id, key from modules order by id limit 1) m
      )
      insert into ledger_invoices (tenant_id, number, tenant_name, tenant_email, gateway, status, currency, subtotal, amount_paid, issued_at,
        due_at, paid_at, created_at, updated_at)
      select id, 'INV-' || id, 'Firm', 'office@bench.example', 'stripe', 'paid', 'USD', 30, 30, created_at, created_at, created_at, created_at,
        created_at from made`.execute(ctx.tx)
    const admin = await ctx.tx.selectFrom('platform_users').select('id').orderBy('id').executeTakeFirstOrThrow()
    return (await issueToken(ctx, { tenant_id: null, user_id: admin.id }, 'benchmark', 24 * 3600)).token
  })
