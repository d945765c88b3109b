/** DNS records that a domain needs (BRD-02 … BRD-04). */
import type { Config } from '#kernel/config.ts'
import type { Instructions } from './schema.ts'

type Claimed = { domain: string; token: string }

export function instructionsFor(config: Config, { domain, token }: Claimed): Instructions {
  const { SERVER_IPV4, SERVER_IPV6 } = config
  const target = targetOf(config)
  return {
    hostname: domain,
    txt_name: `_service-verification.${domain}`,
    txt_value: `service-verify-${token}`,
    a_record_name: domain,
    a_record_value: SERVER_IPV4[0] ?? null,
    www_cname_name: `www.${domain}`,
    www_cname_value: target,
    server_ipv4: SERVER_IPV4,
    server_ipv6: SERVER_IPV6,
    cname_target: target,
    examples: [`crm.${domain}`, `portal.${domain}`, `www.${domain}`],
  }
}

/** Target of the CNAME. */
const targetOf = ({ CNAME_TARGET, PLATFORM_DOMAIN }: Config) => CNAME_TARGET ?? PLATFORM_DOMAIN.toLowerCase()
