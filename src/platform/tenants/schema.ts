import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { Password } from '#kernel/auth/passwords.ts'
import type { BaseCtx } from '#kernel/context.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { derived, embedded, extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  coded,
  currency,
  email,
  formatted,
  instant,
  optionalText,
  text,
  timezone,
  trashStamps,
} from '#kernel/values/fields.ts'
import { countryName } from '#kernel/values/formatters.ts'
import { locale } from '#kernel/values/locale.ts'
import { COUNTRIES } from '#workspace/e-invoices/public.ts'

/** Number of bytes; multipart sends numbers as text. */
const wholeBytes = z.union(
  [
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ],
  'Must be a number of bytes.',
)

/** Countries with a name, by their codes. */
const countries = Object.fromEntries(
  COUNTRIES.map((code) => [code, countryName(code, 'en')]).filter(([code, name]) => code !== name),
)

const details = {
  company_name: text(255),
  workspace_name: text(255).optional(),
  slug: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'Must be lower-case letters, digits and hyphens.')
    .max(63)
    .optional(),
  email: email(),
  phone: optionalText(50, 'phone'),
  notes: optionalText(),
  status: z
    .enum(['active', 'suspended'])
    .optional()
    .describe('A suspended workspace is closed to its users (403 `WORKSPACE_SUSPENDED`).'),
  timezone: timezone().optional(),
  currency: currency().optional(),
  /** Multipart can't send null: empty counts as null, as for the other optional texts. */
  country: coded(
    z
      .string()
      .regex(/^([A-Z]{2})?$/, 'Must be a 2-letter country code.')
      .transform((code) => code || null)
      .nullish(),
    countries,
  ),
  locale: locale().optional(),
  storage_allowance_bytes: wholeBytes
    .optional()
    .meta({ description: 'How many bytes of files it may store.', examples: [5368709120] }),
}

export const CreateTenant = z.object({
  ...details,
  owner_name: text(255)
    .optional()
    .meta({
      description: 'Name of the first user, who owns the workspace. Unless sent: the name of the company.',
      examples: ['Ann Ash'],
    }),
  owner_email: email()
    .optional()
    .meta({
      description: 'Address of the owner. Without `owner_password` an invitation is mailed to it.',
      examples: ['ann@nordwind.example'],
    }),
  owner_password: Password.optional().meta({
    description: 'Password of the owner; without one they choose it by the mailed invitation.',
    examples: ['nine green bottles'],
  }),
})
export const UpdateTenant = changesOf(z.object(details))
export const InstallModule = z.object({
  module_id: z.int('Must be the id of a catalogue module.').positive().meta({ 'x-refers-to': 'module' }),
  billing_cycle: z.enum(['monthly', 'yearly'], 'Must be monthly or yearly.').default('monthly'),
})

const InstalledModule = z
  .object({
    id: z.int(),
    module_id: z.int(),
    key: z.string(),
    name: z.string(),
    version: z.string(),
    source: coded(
      z.string().meta({ description: 'Whether it comes with every workspace or was bought.', examples: ['purchased'] }),
      { included: 'Included', purchased: 'Purchased' },
    ),
    status: coded(z.string(), { trialing: 'Trialing', active: 'Active', past_due: 'Past due' }),
    installed_at: instant().describe('When it was installed.'),
  })
  .meta({ id: 'InstalledModule' })

interface Rows {
  value: RawBuilder<unknown>
  /** Table under an alias. */
  from: [table: RawBuilder<unknown>, as: string]
  where?: RawBuilder<unknown>
  grouped?: RawBuilder<unknown>
  /** Value if there are no rows. */
  empty: null | number | []
}

/**
 * Field computed from the current workspace's rows. A cluster can't run a subquery per row of `tenants`, so there it reads the
 * rows of all workspaces on the page.
 */
const ofRows = <S extends z.ZodType>(
  schema: S,
  { value, from: [table, as], where = sql`true`, grouped = sql``, empty }: Rows,
) => {
  const workspace = sql.ref(`${as}.tenant_id`)
  const otherwise = typeof empty === 'number' ? sql`${empty}::bigint` : sql`${JSON.stringify(empty)}::json`
  return embedded(schema, {
    columns: ['id'],
    value: ({ table: tenants }) =>
      sql`coalesce((select ${value} from ${table} where ${workspace} = ${sql.ref(`${tenants}.id`)} and ${where}), ${otherwise})`,
    async gather({ tx }: BaseCtx, ids) {
      const { rows } = await sql<{ id: number; value: unknown }>`
        select ${workspace} as id, ${value} as value from ${table} where ${workspace} = any (${ids}::bigint[]) and ${where} ${grouped}`.execute(
        tx,
      )
      const values = new Map(rows.map((row) => [row.id, row.value]))
      return (id) => values.get(id) ?? empty
    },
  })
}

const owner = ofRows(
  z.object({ id: z.int(), name: z.string(), email: z.string(), email_verified_at: instant().nullable() }).nullable(),
  {
    value: sql`json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'email_verified_at', app.iso(u.email_verified_at))`,
    from: [sql`users u`, 'u'],
    where: sql`u.is_owner`,
    empty: null,
  },
)

const installedModules = ofRows(z.array(InstalledModule), {
  value: sql`json_agg(json_build_object('id', s.id, 'module_id', s.module_id, 'key', m.key, 'name', m.name, 'version', m.version,
    'source', s.source, 'status', s.status, 'installed_at', app.iso(s.created_at)) order by m.key)`,
  from: [sql`module_subscriptions s join modules m on m.id = s.module_id`, 's'],
  where: sql`s.status in (${sql.join(LIVE)})`,
  grouped: sql`group by s.tenant_id`,
  empty: [],
})

const usedBytes = ofRows(z.int(), { value: sql`used_bytes`, from: [sql`storage_usage`, 'storage_usage'], empty: 0 })

const domainOf = (slug: string, { services }: BaseCtx) => `${slug}.${services.config.PLATFORM_DOMAIN}`
const urlOf = (path: string | null, { services }: BaseCtx) => path && services.storage.url(path)

export const Tenant = view('tenants', 'Tenant', {
  id: z.int(),
  uuid: z.string(),
  company_name: z.string().meta({ description: 'Name of the firm, as invoices to it have it.', examples: ['Nordwind GmbH'] }),
  workspace_name: z
    .string()
    .meta({ description: 'What its users see as the workspace’s name. Unless sent: the firm’s.', examples: ['Nordwind'] }),
  slug: z.string(),
  domain: derived(z.string(), 'slug', domainOf).meta({
    description: 'Where its pages are: the slug below the platform’s domain.',
    examples: ['nordwind.atrium.example'],
  }),
  email: formatted('email'),
  phone: formatted('phone').nullable(),
  logo_path: z.string().nullable(),
  logo_url: derived(formatted('uri').nullable(), 'logo_path', urlOf),
  notes: z
    .string()
    .nullable()
    .meta({
      description: 'What the operator notes about the workspace; its users never see it.',
      examples: ['Pays by invoice.'],
    }),
  status: choice(['active', 'suspended']),
  timezone: formatted('timezone'),
  currency: formatted('currency'),
  country: z.string().nullable(),
  locale: z.string(),
  storage_allowance_bytes: z.int(),
  storage_used_bytes: usedBytes.meta({
    description: 'How many bytes of files it stores; the trash does not count.',
    examples: [48213],
  }),
  owner,
  archived_at: instant().nullable(),
  ...trashStamps,
})

export const TenantDetail = extended(Tenant, 'TenantDetail', {
  installed_modules: installedModules.describe('The modules that are installed.'),
})

export const Entitlements = z.object({
  core: z.array(z.object({ key: z.string(), name: z.string() })).describe('Modules that every workspace has.'),
  modules: z.array(InstalledModule).describe('Modules that are installed.'),
})

export const Subscription = z
  .object({
    id: z.int(),
    tenant_id: z.int(),
    module_id: z.int(),
    module_key: z.string(),
    source: z.enum(['included', 'purchased']).describe('Whether it comes with every workspace or was bought.'),
    status: z.enum(['trialing', 'active', 'past_due', 'cancelled', 'expired']),
    billing_cycle: z.enum(['monthly', 'yearly']),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'ModuleSubscription' })
