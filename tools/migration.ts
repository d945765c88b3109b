/**
 * `npm run migration -- <module> <what>`: creates an empty migration of a module or of the kernel, named to come after all
 * existing ones.
 */
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { nextMigration } from './migrations.ts'

const root = join(import.meta.dirname, '..')
const USAGE = 'npm run migration -- <module> <what>, for example: npm run migration -- vendors vendor-ratings'

function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}

/** Returns the folder of `vendors`, `platform/billing` or `kernel`. A bare key names a module of any surface. */
function folderOf(module: string) {
  if (module === 'kernel') return join(root, 'src/kernel')
  const found = globSync(module.includes('/') ? module : `{workspace,platform,public}/${module}`, { cwd: join(root, 'src') })
  if (found.length === 1) return join(root, 'src', found[0]!)
  const choice = found.map((one) => `npm run migration -- ${one} …`).join('\n')
  return refuse(found.length ? `${module} is the name of several modules:\n${choice}` : `There is no module ${module}.\n${USAGE}`)
}

const [module, what, ...more] = process.argv.slice(2)
if (!module || !what || more.length) refuse(USAGE)
if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(what)) refuse(`${what}: say what it does in kebab-case, such as vendor-ratings.`)
if (!/^[a-z0-9/-]+$/.test(module)) refuse(`${module} is no name of a module.\n${USAGE}`)
const folder = join(folderOf(module), 'migrations')
const file = join(folder, `${nextMigration(root, what)}.sql`)
if (!existsSync(folder)) mkdirSync(folder)
writeFileSync(file, '')
console.log(`${relative(root, file)}\nWrite its SQL, then: npm run types`)
