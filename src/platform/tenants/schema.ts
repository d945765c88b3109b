import { z } from 'zod'
import { Password } from '#kernel/auth/accounts.ts'
import { currency, email, instant, optionalText, text, timezone } from '#kernel/values/fields.ts'

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
  phone: optionalText(50),
  notes: optionalText(),
  status: z.enum(['active', 'suspended']).optional(),
  timezone: timezone().optional(),
  currency: currency().optional(),
  /** Multipart can't send null: an empty one counts as none, as with the other optional texts. */
  country: z
    .string()
    .regex(/^([A-Z]{2})?$/, 'Must be a 2-letter country code.')
    .transform((code) => code || null)
    .nullish(),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'Must be a language tag such as en or pt-BR.')
    .optional(),
  storage_allowance_bytes: wholeBytes.optional(),
}

export const CreateTenant = z.object({
  ...details,
  owner_name: text(255).optional(),
  owner_email: email().optional(),
  owner_password: Password.optional(),
})
export const UpdateTenant = z.object(details).partial()
export const InstallModule = z.object({
  module_id: z.int('Must be the id of a catalogue module.').positive(),
  billing_cycle: z.enum(['monthly', 'yearly'], 'Must be monthly or yearly.').default('monthly'),
})

export const InstalledModule = z
  .object({
    id: z.int(),
    module_id: z.int(),
    key: z.string(),
    name: z.string(),
    version: z.string(),
    source: z.string(),
    status: z.string(),
    installed_at: instant(),
  })
  .meta({ id: 'InstalledModule' })

export const Tenant = z
  .object({
    id: z.int(),
    uuid: z.string(),
    company_name: z.string(),
    workspace_name: z.string(),
    slug: z.string(),
    domain: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    logo_path: z.string().nullable(),
    logo_url: z.string().nullable(),
    notes: z.string().nullable(),
    status: z.enum(['active', 'suspended']),
    timezone: z.string(),
    currency: z.string(),
    country: z.string().nullable(),
    locale: z.string(),
    storage_allowance_bytes: z.int(),
    owner: z.object({ id: z.int(), name: z.string(), email: z.string(), email_verified_at: instant().nullable() }).nullable(),
    archived_at: instant().nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'Tenant' })

export const TenantDetail = Tenant.extend({ installed_modules: z.array(InstalledModule) }).meta({ id: 'TenantDetail' })

export const Entitlements = z.object({
  core: z.array(z.object({ key: z.string(), name: z.string() })),
  modules: z.array(InstalledModule),
})

export const Subscription = z
  .object({
    id: z.int(),
    tenant_id: z.int(),
    module_id: z.int(),
    module_key: z.string(),
    source: z.enum(['included', 'purchased']),
    status: z.enum(['trialing', 'active', 'past_due', 'cancelled', 'expired']),
    billing_cycle: z.enum(['monthly', 'yearly']),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'ModuleSubscription' })
