import { z } from 'zod'
import { choice, instant } from '#kernel/values/fields.ts'
import { Hostname } from './hostname.ts'

/** BRD-10 */
const HOSTING_STATUSES = ['dns_pending', 'ssl_pending', 'active'] as const

export const ClaimDomain = z.object({ domain: Hostname })

/** BRD-01 */
export const Domain = z
  .object({
    id: z.int(),
    domain: z.string(),
    type: z.literal('custom'),
    verified: z.boolean(),
    verified_at: instant().nullable(),
    ssl_provisioned: z.boolean(),
    ssl_provisioned_at: instant().nullable(),
    hosting_status: choice(HOSTING_STATUSES),
    is_primary: z.boolean(),
    claimed_at: instant(),
  })
  .meta({ id: 'BrandedDomain' })

/** BRD-02 */
const Instructions = z.object({
  hostname: z.string(),
  txt_name: z.string(),
  txt_value: z.string(),
  a_record_name: z.string(),
  a_record_value: z.string().nullable(),
  www_cname_name: z.string(),
  www_cname_value: z.string(),
  server_ipv4: z.array(z.string()),
  server_ipv6: z.array(z.string()),
  cname_target: z.string(),
  examples: z.array(z.string()),
})
export type Instructions = z.infer<typeof Instructions>

/** What was found of one kind of record, against what is expected; `ok` is null where such a record isn't needed, `reason` where all is well. */
const Check = z
  .object({
    record: z.enum(['TXT', 'CNAME', 'A', 'AAAA']),
    name: z.string(),
    expected: z.array(z.string()),
    found: z.array(z.string()),
    ok: z.boolean().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'BrandedDomainCheck' })
export type Check = z.infer<typeof Check>

/** BRD-05 */
export const Branding = z
  .object({ branded_active: z.boolean(), domain: Domain.nullable(), instructions: Instructions.nullable() })
  .meta({ id: 'Branding' })
export const Verified = z
  .object({
    ...Branding.shape,
    verified: z.boolean().meta({ description: 'Whether the records are right now.' }),
    checks: z.array(Check),
  })
  .meta({ id: 'VerifiedBranding' })
