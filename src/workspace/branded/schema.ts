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
    domain: z
      .string()
      .meta({ description: 'The hostname, as a browser has it: no scheme, no path.', examples: ['portal.nordwind.example'] }),
    type: z.literal('custom').describe('Always `custom`: the workspace’s own name.'),
    verified: z.boolean().describe('Whether its DNS records were right once.'),
    verified_at: instant().nullable().describe('When they were first right; null: not yet.'),
    ssl_provisioned: z.boolean().describe('Whether the edge serves TLS for it.'),
    ssl_provisioned_at: instant().nullable().describe('Since when it does; null: not yet.'),
    hosting_status: choice(HOSTING_STATUSES).describe('What is still missing: DNS records, the certificate, or nothing.'),
    is_primary: z.boolean().describe('Whether links of the workspace have this name.'),
    claimed_at: instant().describe('When the workspace claimed it.'),
  })
  .meta({ id: 'BrandedDomain' })

/** BRD-02 */
const Instructions = z.object({
  hostname: z.string().meta({ description: 'The claimed hostname.', examples: ['portal.nordwind.example'] }),
  txt_name: z.string().meta({
    description: 'Name of the TXT record that proves ownership.',
    examples: ['_service-verification.portal.nordwind.example'],
  }),
  txt_value: z.string().meta({ description: 'What that TXT record must hold.', examples: ['service-verify-3f9c0a'] }),
  a_record_name: z
    .string()
    .meta({ description: 'Name of the A record that points to the service.', examples: ['portal.nordwind.example'] }),
  a_record_value: z
    .string()
    .nullable()
    .meta({ description: 'IPv4 address that it must hold; null: use the CNAME.', examples: ['203.0.113.10'] }),
  www_cname_name: z
    .string()
    .meta({ description: 'Name of the CNAME record for the `www` variant.', examples: ['www.portal.nordwind.example'] }),
  www_cname_value: z.string().meta({ description: 'Where that CNAME must point.', examples: ['edge.atrium.example'] }),
  server_ipv4: z.array(z.string()).meta({ description: 'IPv4 addresses of the service.', examples: [['203.0.113.10']] }),
  server_ipv6: z.array(z.string()).meta({ description: 'IPv6 addresses of the service.', examples: [['2001:db8::10']] }),
  cname_target: z
    .string()
    .meta({ description: 'Where a CNAME may point instead of an A record.', examples: ['edge.atrium.example'] }),
  examples: z.array(z.string()).meta({ description: 'Hostnames that could be claimed.', examples: [['crm.nordwind.example']] }),
})
export type Instructions = z.infer<typeof Instructions>

/** Found and expected records of one type; `ok` is null if such a record isn't needed, `reason` if there is no problem. */
const Check = z
  .object({
    record: z.enum(['TXT', 'CNAME', 'A', 'AAAA']).describe('Kind of DNS record.'),
    name: z.string().meta({ description: 'Name that was asked for.', examples: ['portal.nordwind.example'] }),
    expected: z.array(z.string()).meta({ description: 'What it should hold; any of these.', examples: [['203.0.113.10']] }),
    found: z.array(z.string()).meta({ description: 'What the DNS answered.', examples: [['198.51.100.4']] }),
    ok: z.boolean().nullable().describe('Whether it is right; null: such a record is not needed.'),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'What is wrong and what to do; null: all is well.', examples: ['It points to another server.'] }),
  })
  .meta({ id: 'BrandedDomainCheck' })
export type Check = z.infer<typeof Check>

/** BRD-05 */
export const Branding = z
  .object({
    branded_active: z.boolean().describe('Whether the workspace’s pages and links have its own name.'),
    domain: Domain.nullable().describe('The claimed domain; null: none.'),
    instructions: Instructions.nullable().describe('The DNS records that it needs; null: none is claimed.'),
  })
  .meta({ id: 'Branding' })
export const Verified = z
  .object({
    ...Branding.shape,
    verified: z.boolean().meta({ description: 'Whether the records are right now.' }),
    checks: z.array(Check).describe('What was found, record by record.'),
  })
  .meta({ id: 'VerifiedBranding' })
