/** Looks up the DNS records of a claimed domain. */
import { Resolver } from 'node:dns/promises'
import type { Config } from '#kernel/config.ts'
import { instructionsFor } from './instructions.ts'
import type { Check } from './schema.ts'

const NOTHING = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN'])
/** Maximum records of one name that are considered. */
const MAX = 50

export interface Checked {
  answered: boolean
  checks: Check[]
}

/** Compares the DNS records with the expected ones. A failed lookup doesn't count as a wrong record. */
export async function checkDns(config: Config, claimed: { domain: string; token: string }): Promise<Checked> {
  const { hostname, txt_name, txt_value, server_ipv4, server_ipv6, cname_target } = instructionsFor(config, claimed)
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (config.DNS_SERVER) resolver.setServers([config.DNS_SERVER])
  let answered = true
  const ask = (question: Promise<string[]>) =>
    question
      .then((all) => all.slice(0, MAX))
      .catch((error: NodeJS.ErrnoException) => {
        if (!NOTHING.has(error.code ?? '')) answered = false
        return [] as string[]
      })
  const [txt, cname, a, aaaa] = await Promise.all([
    ask(resolver.resolveTxt(txt_name).then((records) => records.map((parts) => parts.join('')))),
    ask(resolver.resolveCname(hostname).then((names) => names.map((name) => name.toLowerCase().replace(/\.$/, '')))),
    ask(resolver.resolve4(hostname)),
    ask(resolver.resolve6(hostname)),
  ])
  const pointed = cname.includes(cname_target)
  // A foreign address would lead some of the visitors elsewhere. With the right CNAME, the addresses are the target's.
  const areOurs = (found: string[], ours: string[]) =>
    found.length ? found.every((address) => ours.includes(address)) : undefined
  const [v4, v6] = [areOurs(a, server_ipv4), areOurs(aaaa, server_ipv6)]
  const leads = pointed || (v4 !== false && v6 !== false && (v4 ?? v6 ?? false))
  const found: Omit<Check, 'reason'>[] = [
    { record: 'TXT', name: txt_name, expected: [txt_value], found: txt, ok: txt.includes(txt_value) },
    { record: 'CNAME', name: hostname, expected: [cname_target], found: cname, ok: pointed || (leads ? null : false) },
    { record: 'A', name: hostname, expected: server_ipv4, found: a, ok: pointed ? null : (v4 ?? (leads ? null : false)) },
    { record: 'AAAA', name: hostname, expected: server_ipv6, found: aaaa, ok: pointed ? null : (v6 ?? null) },
  ]
  return { answered, checks: found.map((check) => ({ ...check, reason: reasonOf(check, answered) })) }
}

function reasonOf({ found, expected, ok }: Omit<Check, 'reason'>, answered: boolean) {
  if (ok !== false) return null
  if (!answered) return 'The DNS gave no answer. Try again soon.'
  return found.length ? `It must say ${expected.join(' or ')}.` : 'There is no such record.'
}

/** Whether the domain belongs to the workspace and leads to us (BRD-11). */
export const passes = ({ answered, checks }: Checked) => answered && checks.every(({ ok }) => ok !== false)
