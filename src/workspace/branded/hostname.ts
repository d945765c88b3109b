/** Hostnames that a workspace may claim. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { z } from 'zod'
import type { Config } from '#kernel/config.ts'
import { invalid } from '#kernel/errors.ts'

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** A hostname of at least two labels; other scripts become punycode, `München.example` is `xn--mnchen-3ya.example`. */
export const Hostname = z
  .string()
  .trim()
  .max(253, 'Must be at most 253 characters.')
  .transform((given, issues) => {
    const host = domainToASCII(given.replace(/\.$/, '')).toLowerCase()
    const labels = host.split('.')
    if (
      /[/:@?#\s]/.test(given) ||
      labels.length < 2 ||
      !labels.every((label) => LABEL.test(label)) ||
      isIP(host) ||
      host.length > 253
    ) {
      issues.addIssue({ code: 'custom', message: 'Must be a hostname such as crm.example.com.' })
      return z.NEVER
    }
    return host
  })

/** 422 on `domain` for the platform's own hosts and subdomains of its domain (BRD-07). */
export function refusePlatformHost({ PLATFORM_DOMAIN, BASE_URL, CNAME_TARGET }: Config, host: string) {
  const own = [PLATFORM_DOMAIN.toLowerCase(), new URL(BASE_URL).hostname, ...(CNAME_TARGET ? [CNAME_TARGET] : [])]
  if (own.some((one) => host === one || host.endsWith(`.${one}`)))
    throw invalid({ domain: 'This is a host of the platform. Use a domain of your own.' })
}
