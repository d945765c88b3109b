/**
 * `npm run new-module -- vehicles ["What it is about."]`: creates a module of the workspace API with one table, its list, routes,
 * demo data and a test. It is a renamed copy of test/fixtures/modules/workspace/repair-shops, which the tests mount.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pluralize from 'pluralize'
import { capital, singular } from '#kernel/values/words.ts'
import { nextMigration } from './migrations.ts'

const TEMPLATE = 'test/fixtures/modules/workspace/repair-shops'

/** Test of the new module. Kept here because it needs the module in `src`: among the fixtures it would be run as a test. */
const TEST = `import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['repair-shops'] })
})

describe('repair shops', () => {
  it('are created, found and changed', async () => {
    const created = await firm.owner.post('/repair-shops', { name: 'Lima', notes: 'Ask for Ida.' })
    assert.equal(created.status, 201)
    const { id } = created.body.data
    const found = await firm.owner.get('/repair-shops', { query: { search: 'ida' } })
    assert.equal(found.body.meta.total, 1)
    const changed = await firm.owner.put(\`/repair-shops/\${id}\`, { is_active: false })
    assert.deepEqual([changed.body.data.name, changed.body.data.is_active], ['Lima', false])
  })

  it('have names of their own', async () => {
    assert.equal((await firm.owner.post('/repair-shops', { name: 'Oslo' })).status, 201)
    const second = await firm.owner.post('/repair-shops', { name: 'Oslo' })
    assert.deepEqual([second.status, Object.keys(second.body.errors!)], [422, ['name']])
  })
})
`

const kebab = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** Plurals for which `singular` returns a wrong word, which would appear in the API. */
const MISREAD = /(?:aches|ookies|alories|leaves)$/

const pascal = (text: string) => text.split(' ').map(capital).join('')

/** Returns why a module can't have this name, with a suggestion; undefined if it can. */
export function refusalOf(root: string, name: string): string | undefined {
  const right = (suggestion: string) => `Right would be: npm run new-module -- ${suggestion}`
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    const suggestion = kebab(name)
    const plural = pluralize.isPlural(suggestion) ? suggestion : pluralize(suggestion)
    return `${name} isn't in kebab-case.${/^[a-z]/.test(suggestion) ? ` ${right(plural)}` : ' A name begins with a letter.'}`
  }
  if (MISREAD.test(name)) {
    const noun = singular(name)
    return `One of the ${name} would be called "${noun}" in the API: choose another word, or teach it to singular() in src/kernel/values/words.ts.`
  }
  if (singular(name) === name || pluralize(singular(name)) !== name)
    return `${name} isn't a plural that differs from its singular, of which the names of the API are made. ${
      pluralize(name) === name ? 'Choose a word that has one, such as members for staff.' : right(pluralize(name))
    }`
  if (name.length > 35)
    return `${name} is too long by ${name.length - 35}: names of indexes are made of it, which have 49 letters at most.`
  const snake = name.replaceAll('-', '_')
  const folders = globSync(`{src/*,test/fixtures/*/*}/${name}/`, { cwd: root })
  if (folders.length) return `There is a module ${name} already: ${folders[0]!.replace(/\/$/, '')}.`
  const tables = globSync('{src,test/fixtures}/**/migrations/*.sql', { cwd: root }).filter((path) =>
    new RegExp(`^CREATE (?:UNLOGGED )?TABLE ${snake} `, 'm').test(readFileSync(join(root, path), 'utf8')),
  )
  if (tables.length) return `There is a table ${snake} already: ${tables[0]}.`
  const schema = pascal(singular(name.replaceAll('-', ' ')))
  const named = globSync('src/**/*.ts', { cwd: root }).find((path) =>
    new RegExp(`\\b(?:view|extended)\\([^'\\n]*(?:'\\w+', )?'${schema}'|\\bid: '${schema}'`).test(
      readFileSync(join(root, path), 'utf8'),
    ),
  )
  if (named) return `The API documents describe a ${schema} already: ${named}.`
  return undefined
}

/** Returns the files of a module with this name, by their paths from the root, unformatted. */
export function filesOf(root: string, name: string, description?: string): Map<string, string> {
  const spoken = name.replaceAll('-', ' ')
  const one = singular(spoken)
  const camel = (text: string) => text.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
  const renamed = (text: string) =>
    [
      ['Who repairs what the firm drives.', (description ?? `${capital(spoken)} of the firm.`).replaceAll("'", "\\'")],
      ['repair-shops', name],
      ['repair_shops', spoken.replaceAll(' ', '_')],
      ['repair_shop', one.replaceAll(' ', '_')],
      ['repairShops', camel(spoken)],
      ['repairShop', camel(one)],
      ['RepairShop', pascal(one)],
      ['Repair shops', capital(spoken)],
      ['repair shops', spoken],
      ['repair shop', one],
    ].reduce((renamed, [from, to]) => renamed.replaceAll(from!, to!), text)

  const folder = `src/workspace/${name}`
  const copied = globSync(`${TEMPLATE}/**/*.ts`, { cwd: root }).map(
    (path) => [renamed(path.replace(TEMPLATE, folder)), renamed(readFileSync(join(root, path), 'utf8'))] as const,
  )
  const [migration = ''] = globSync(`${TEMPLATE}/migrations/*.sql`, { cwd: root })
  return new Map([
    ...copied,
    [`${folder}/migrations/${nextMigration(root, name)}.sql`, renamed(readFileSync(join(root, migration), 'utf8'))],
    [`${folder}/${name}.test.ts`, renamed(TEST)],
  ])
}

/** Returns docs/scaling.md with a row for a workspace's table, in alphabetical order. */
export function withScalingRow(page: string, table: string) {
  const lines = page.split('\n')
  const isRow = (line: string) => /^\| `\w+` /.test(line)
  const next = lines.findIndex((line) => isRow(line) && line > `| \`${table}\``)
  const at = next >= 0 ? next : lines.findLastIndex(isRow) + 1
  const widths = lines[at - 1]!.split('|')
    .slice(1, -1)
    .map(({ length }) => length - 2)
  const cells = [`\`${table}\``, 'distributed', ''].map((cell, n) => ` ${cell.padEnd(widths[n]!)} `)
  return lines.toSpliced(at, 0, `|${cells.join('|')}|`).join('\n')
}

function main() {
  const root = join(import.meta.dirname, '..')
  const [name, description, ...more] = process.argv.slice(2)
  const refusal = !name || more.length ? 'npm run new-module -- <plural-name> ["What it is about."]' : refusalOf(root, name)
  if (refusal) {
    console.error(refusal)
    process.exitCode = 1
    return
  }
  const files = filesOf(root, name!, description)
  const scaling = join(root, 'docs/scaling.md')
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  writeFileSync(scaling, withScalingRow(readFileSync(scaling, 'utf8'), name!.replaceAll('-', '_')))
  // Names of another length change line breaks and the order of imports.
  const biome = join(root, 'node_modules/.bin/biome')
  const written = [...files.keys()].filter((path) => path.endsWith('.ts'))
  if (existsSync(biome)) spawnSync(biome, ['check', '--write', ...written], { cwd: root, stdio: 'inherit' })
  console.log([...files.keys(), 'docs/scaling.md (a row)'].join('\n'))
  console.log(`
Next: npm run types    after each change of the migration
      npm run check
      npm test -- src/workspace/${name}/${name}.test.ts
docs/adding-a-module.md says what to change and to add then.`)
}

if (import.meta.main) main()
