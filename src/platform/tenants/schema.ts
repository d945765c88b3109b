import { sql } from 'kysely'
import { z } from 'zod'
import { Password } from '#kernel/auth/passwords.ts'
import type { BaseCtx } from '#kernel/context.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { computed, derived, extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  currency,
  email,
  formatted,
  instant,
  optionalText,
  stamps,
  text,
  timezone,
} from '#kernel/values/fields.ts'
import { locale } from '#kernel/values/locale.ts'

/** Multipart sends numbers as text. */
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
  /** Multipart can't send null: an empty one counts as none, as with the other optional texts. */
  country: z
    .string()
    .regex(/^([A-Z]{2})?$/, 'Must be a 2-letter country code.')
    .transform((code) => code || null)
    .nullish(),
  locale: locale().optional(),
  storage_allowance_bytes: wholeBytes
    .optional()
    .meta({ description: 'How many bytes of files it may store.', examples: [5368709120] }),
}

export const CreateTenant = z.object({
  ...details,
  owner_name: text(255)
    .optional()
    .meta({ description: 'Name of the first user, who owns the workspace. Required with `owner_email`.', examples: ['Ann Ash'] }),
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
  module_id: z.int('Must be the id of a catalogue module.').positive(),
  billing_cycle: z.enum(['monthly', 'yearly'], 'Must be monthly or yearly.').default('monthly'),
})

const InstalledModule = z
  .object({
    id: z.int(),
    module_id: z.int(),
    key: z.string(),
    name: z.string(),
    version: z.string(),
    source: z.string().meta({ description: 'Whether it comes with every workspace or was bought.', examples: ['purchased'] }),
    status: z.string(),
    installed_at: instant().describe('When it was installed.'),
  })
  .meta({ id: 'InstalledModule' })

const owner = computed(
  z.object({ id: z.int(), name: z.string(), email: z.string(), email_verified_at: instant().nullable() }).nullable(),
  ({ table }) => sql`(
    select json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'email_verified_at', app.iso(u.email_verified_at))
    from users u where u.tenant_id = ${sql.ref(`${table}.id`)} and u.is_owner)`,
)

const installedModules = computed(
  z.array(InstalledModule),
  ({ table }) => sql`(
    select coalesce(json_agg(json_build_object('id', s.id, 'module_id', s.module_id, 'key', m.key, 'name', m.name, 'version', m.version,
      'source', s.source, 'status', s.status, 'installed_at', app.iso(s.created_at)) order by m.key), '[]')
    from module_subscriptions s join modules m on m.id = s.module_id
    where s.tenant_id = ${sql.ref(`${table}.id`)} and s.status in (${sql.join(LIVE)}))`,
)

const usedBytes = computed(
  z.int(),
  ({ table }) => sql`coalesce((select used_bytes from storage_usage where tenant_id = ${sql.ref(`${table}.id`)}), 0)`,
)

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
  ...stamps,
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
