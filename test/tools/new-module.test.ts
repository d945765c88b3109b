/**
 * `npm run new-module` and `npm run migration`: names, rejections, and generated files. test/tools/guide.ci.test.ts runs the
 * generated code.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { migrationsOf, nextMigration } from '../../tools/migrations.ts'
import { filesOf, refusalOf, withScalingRow } from '../../tools/new-module.ts'
import { copyOfCheckout, root } from './checkout.ts'

describe('a new module', () => {
  it('is refused under a name that is taken or wrong, with what would be right', () => {
    const refused: Record<string, RegExp> = {
      vehicle: /isn't a plural.* new-module -- vehicles$/,
      Vehicles: /kebab-case.* new-module -- vehicles$/,
      purchaseRequest: /kebab-case.* new-module -- purchase-requests$/,
      purchase_requests: /kebab-case.* new-module -- purchase-requests$/,
      category: / new-module -- categories$/,
      address: / new-module -- addresses$/,
      staff: /isn't a plural.*members for staff/,
      series: /isn't a plural.*members for staff/,
      '7ups': /begins with a letter/,
      '../vehicles': /kebab-case/,
      caches: /"cach".*words\.ts/,
      vendors: /a module vendors already: src\/workspace\/vendors/,
      tenants: /a module tenants already: src\/platform\/tenants/,
      trucks: /a module trucks already: test\/fixtures/,
      activities: /a table activities already: src\/kernel\/migrations/,
      [`${'very-'.repeat(10)}long-names`]: /too long/,
    }
    for (const [name, reason] of Object.entries(refused)) assert.match(refusalOf(root, name) ?? 'taken', reason, name)
    for (const name of [
      'vehicles',
      'purchase-requests',
      'branches',
      'boxes',
      'houses',
      'surveys',
      'help-desks',
      'statuses',
      'people',
    ])
      assert.equal(refusalOf(root, name), undefined, name)
  })

  it('has every name in its right form, and no word of what it is copied from', () => {
    const files = filesOf(root, 'policy-categories', "The insurer's kinds.")
    const paths = [...files.keys()]
    for (const name of ['module.ts', 'schema.ts', 'routes.ts', 'policy-categories.ts', 'policy-categories.test.ts'])
      assert.ok(paths.includes(`src/workspace/policy-categories/${name}`), name)
    const text = [...files.values()].join('\n')
    for (const form of [
      `description: 'The insurer\\'s kinds.'`,
      `title: 'Policy categories'`,
      `noun: 'policy category'`,
      'CREATE TABLE policy_categories (',
      'policy_category: true',
      'export const policyCategories = resource(',
      'export const policyCategoryList = listing(',
      'export const CreatePolicyCategory = ',
      `interface WorkspacePermissions extends PermissionNames<'policy-categories'`,
    ])
      assert.ok(text.includes(form), form)
    assert.doesNotMatch(text + paths, /repair|shop/i)
  })

  it('has its test shown by the guide', () => {
    const shown = /^`src\/workspace\/repair-shops\/repair-shops\.test\.ts`[^\n]*\n\n```ts\n(.*?)^```$/ms.exec(
      readFileSync(join(root, 'docs/adding-a-module.md'), 'utf8'),
    )?.[1]
    const written = filesOf(root, 'repair-shops').get('src/workspace/repair-shops/repair-shops.test.ts')
    assert.equal(shown, written)
  })

  it('has its row in docs/scaling.md, in the order of the alphabet', () => {
    const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8')
    for (const table of ['aaa', 'vehicles', 'zzz']) {
      const rows = [...withScalingRow(page, table).matchAll(/^\| `(\w+)` .*/gm)]
      const names = rows.map(([, name]) => name!)
      assert.deepEqual(names, names.toSorted(), table)
      assert.ok(names.includes(table) && new Set(rows.map(([row]) => row.length)).size <= 2, table)
    }
  })
})

describe('a new migration', () => {
  const { copy, remove } = copyOfCheckout({ packages: false })
  after(remove)
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, 'tools/migration.ts'), ...args], {
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }

  it('is named behind all that exist, and behind today', () => {
    const last = migrationsOf(root).at(-1)!
    for (const now of ['2026-01-01T00:00:00', '2099-12-31T23:59:30']) {
      const name = nextMigration(root, 'more', Temporal.PlainDateTime.from(now))
      assert.match(name, /^\d{14}-more$/)
      assert.ok(name > last, name)
    }
    assert.equal(nextMigration(root, 'more', Temporal.PlainDateTime.from('2099-12-31T23:59:30')), '21000101000000-more')
  })

  it('is an empty file of its module, and the next one comes behind it', () => {
    const [first, second, kernel] = [run('vendors', 'ratings'), run('platform/invoices', 'notes'), run('kernel', 'more')].map(
      ({ status, stdout, stderr }) => {
        assert.equal(status, 0, stderr)
        return stdout.split('\n')[0]!
      },
    )
    assert.match(first!, /^src\/workspace\/vendors\/migrations\/\d{14}-ratings\.sql$/)
    assert.match(second!, /^src\/platform\/invoices\/migrations\/\d{14}-notes\.sql$/)
    assert.match(kernel!, /^src\/kernel\/migrations\/\d{14}-more\.sql$/)
    for (const path of [first!, second!, kernel!]) assert.equal(readFileSync(join(copy, path), 'utf8'), '')
    assert.ok(migrationsOf(copy).slice(-3).join() === [first, second, kernel].map((path) => /\d{14}[^.]*/.exec(path!)![0]).join())
  })

  it('is refused where its module or its words are not clear', () => {
    const refused: { args: string[]; reason: RegExp }[] = [
      { args: [], reason: /npm run migration -- <module> <what>/ },
      { args: ['vendors'], reason: /<what>/ },
      { args: ['nowhere', 'x'], reason: /no module nowhere/ },
      { args: ['invoices', 'x'], reason: /several modules:\nnpm run migration -- .*\/invoices/ },
      { args: ['vendors', 'Add_Ratings'], reason: /kebab-case/ },
      { args: ['../kernel', 'x'], reason: /no name of a module/ },
    ]
    for (const { args, reason } of refused) {
      const { status, stderr } = run(...args)
      assert.equal(status, 1, args.join(' '))
      assert.match(stderr, reason)
    }
    assert.ok(!existsSync(join(copy, 'src/workspace/nowhere')))
  })
})
