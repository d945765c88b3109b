/**
 * Audits what `npm ci --omit=dev` installs: known vulnerabilities if the registry reports them, licences, and deprecated
 * packages. Part of `.ci/run install`. Digests and install scripts are checked by test/architecture.test.ts.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Permitted licences. Each word of an alternative (`OR`) or a combination (`AND`) must match. */
const LICENCES =
  /^(MIT(-0|\/X11)?|Apache-2\.0|0?BSD(-[23]-Clause)?|ISC|MPL-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|OFL-1\.1|Zlib|Python-2\.0|EUPL-1\.1\+)$/
/** Advisories that don't concern us, by their number (GHSA-…), with the reason. */
const ACCEPTED: Record<string, string> = {}

interface Locked {
  license?: string
  deprecated?: string
  dev?: boolean
  optional?: boolean
  link?: boolean
}
interface Advisory {
  url?: string
  title?: string
  severity?: string
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
const installed = Object.entries(packages).filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
const problems: string[] = []

for (const [path, { license, deprecated, optional }] of installed) {
  if (deprecated) problems.push(`${path} was given up by its authors: ${deprecated}`)
  // The lock file lacks licences of platform packages that the registry didn't have; they come with a package that is checked.
  const words = license?.match(/[^\s()]+/g)?.filter((word) => word !== 'OR' && word !== 'AND') ?? []
  const foreign = words.filter((word) => !LICENCES.test(word))
  if (foreign.length > 0 || (!license && !optional)) problems.push(`${path} is under ${license ?? 'no licence'}`)
}

/** Returns the registry's advisories; undefined if it doesn't report any. */
function advisories(): Advisory[] | undefined {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8', timeout: 60_000 })
  try {
    const { vulnerabilities } = JSON.parse(stdout) as { vulnerabilities?: Record<string, { via: (Advisory | string)[] }> }
    return vulnerabilities && Object.values(vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one === 'object'))
  } catch {
    return undefined
  }
}

const known = advisories()
for (const { url = '', title, severity } of known ?? [])
  if (!ACCEPTED[url.split('/').pop()!]) problems.push(`${severity}: ${title} (${url})`)

for (const problem of problems) console.error(problem)
console.log(
  `${installed.length} packages looked at. ${known ? `${known.length} advisories.` : 'Known vulnerabilities: LEFT OUT, the registry doesn’t answer `npm audit`.'}`,
)
process.exitCode = problems.length > 0 ? 1 : 0
