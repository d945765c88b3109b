/**
 * Runs the commands of docs/adding-a-module.md verbatim in a fresh copy of the checkout, and tests the derived screens of the
 * resulting module as in docs/console.md.
 */
// CI stage: guide
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { copyOfCheckout, root } from './checkout.ts'

describe('a module made by the guide', () => {
  const { copy, remove } = copyOfCheckout({ packages: true })
  after(remove)
  const { TEST_SERVER: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const bash = (command: string) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: copy,
      encoding: 'utf8',
      env,
    })
    assert.equal(status, 0, `${command}\n${stdout}\n${stderr}`)
    return stdout
  }
  // Commits the initial state: the suites then take all routes of the new module and a part of the others; all of them without
  // git.
  bash(
    '! command -v git || { git init -q && git add -A && git -c user.name=Guide -c user.email=guide@atrium.test commit -qm Before; }',
  )
  const change = (file: string, from: string, to: string) => {
    const text = readFileSync(join(copy, file), 'utf8')
    assert.ok(text.includes(from), file)
    writeFileSync(join(copy, file), text.replace(from, to))
  }
  const blocks = [...readFileSync(join(root, 'docs/adding-a-module.md'), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)]
  const commands = blocks.flatMap(([, block]) => block!.trimEnd().split('\n'))

  for (const command of commands) it(command, () => void bash(command))

  it('is formatted, and in the document of tables', () => {
    assert.match(readFileSync(join(copy, 'docs/scaling.md'), 'utf8'), /^\| `vehicles` +\| distributed +\|/m)
    assert.equal(globSync('src/workspace/vehicles/migrations/*-vehicle-mileage.sql', { cwd: copy }).length, 1)
  })

  it('has the screens that docs/console.md draws for it, whose test passes', () => {
    const pages = readFileSync(join(root, 'docs/console.md'), 'utf8')
    const files = [
      ...pages.matchAll(/^`((?:src\/workspace\/vehicles|test\/browser)\/[^`]+)`(?:[^\n]*\n)+?\n```\w+\n(.*?)^```$/gms),
    ]
    assert.equal(files.length, 7)
    mkdirSync(join(copy, 'src/workspace/vehicles/screen'))
    for (const [, file = '', text = ''] of files) writeFileSync(join(copy, file), text)
    change('src/workspace/vehicles/module.ts', '  routes: ', "  screen: () => import('./screen.ts'),\n  routes: ")
    change('src/console/client/texts/labels.de.ts', 'Name|Name\n', 'Name|Name\nParked|Abgestellt\n')
    bash('npm run check')
    bash('node test/run.ts test/browser/vehicles.ci.test.ts test/console.test.ts')
  })

  it('keeps the promises that every module keeps, the wall between workspaces, and the plans', () => {
    const suites = ['architecture', 'database', 'promises', 'promises/records', 'isolation'].map(
      (suite) => `test/${suite}.test.ts`,
    )
    bash(`npm test -- --base HEAD ${suites.join(' ')} test/plans.ci.test.ts`)
  })
})
