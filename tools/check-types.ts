/**
 * First step of `npm run check`: the compiler, with a budget. A single checker and a late garbage collector save two thirds of
 * the CPU time: four checkers would each compute the types of schemas and tables.
 */
import { execFileSync, spawnSync } from 'node:child_process'

/** Maximum number of type instantiations, which is the same on every machine. 3.4 million when this was written. */
const MAX_INSTANTIATIONS = 4_700_000

execFileSync(process.execPath, ['packages/client/generate.ts'], { stdio: 'inherit' })
/** The client, as its users compile it, with stricter options than ours. */
check('packages/client/tsconfig.json')
/** The kernel alone: it must compile without the others' imports. */
check('tsconfig.kernel.json')
/** The console's scripts, which run in browsers. */
check('src/console/client/tsconfig.json')
const instantiations = check('tsconfig.json')
console.log(`Types: ${instantiations.toLocaleString('en')} instantiations of ${MAX_INSTANTIATIONS.toLocaleString('en')}.`)
if (!(instantiations <= MAX_INSTANTIATIONS)) {
  console.error(
    `That is over the budget (tools/check-types.ts). To find what costs: npx -p typescript@5.9 tsc --noEmit --generateTrace <folder>,\nthen look for the longest checkSourceFile and checkExpression in its trace.json. A type that is named, or a parameter that is annotated, is often the mend.`,
  )
  process.exit(1)
}

/** Checks a project and exits on errors. Returns the number of type instantiations. */
function check(project: string) {
  const args = ['--noEmit', '-p', project, '--singleThreaded', '--extendedDiagnostics', '--pretty']
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '3GiB' }
  const { stdout, stderr, status, error } = spawnSync('tsc', args, { encoding: 'utf8', env, maxBuffer: 2 ** 30 })
  if (error) throw error
  const figures = stdout.search(/^Files: +\d+$/m)
  process.stdout.write(stdout.slice(0, figures))
  process.stderr.write(stderr)
  if (status !== 0) process.exit(status ?? 1)
  return Number(/^Instantiations: *(\d+)/m.exec(stdout.slice(figures))?.[1])
}
