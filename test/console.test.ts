/**
 * Screens that the API describes to clients: derived from route declarations, also for modules without any screen code. The
 * trucks and repair shops in test/fixtures/modules declare nothing about screens.
 */
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { adjust } from '#console/screens/adjust.ts'
import { type Action, type Chart, type Console, type Field, type Form, Screen } from '#console/screens/screen.ts'
import { platformSettingGroups, settingsFor } from '#console/screens/settings.ts'
import { allScreens } from '#console/screens/showing.ts'
import { sourceRoot } from '#kernel/process/start.ts'
import trucksScreens from './fixtures/screens/trucks.ts'
import { type Client, type Person, startTest, type Workspace } from './harness.ts'
import { operator } from './operator.ts'

const world = await startTest({ roots: [join(import.meta.dirname, 'fixtures/modules')] })
const { modules } = world.services
let firm: Workspace
let bare: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['trucks', 'repair-shops', 'vendors'] })
  bare = await world.workspace({ modules: [] })
})

const consoleOf = async (who: Client): Promise<Console> => {
  const { status, body } = await who.get('/console')
  assert.equal(status, 200, body.message)
  return body.data
}
const screenOf = async (who: Client, key: string): Promise<Screen> => {
  const { status, body } = await who.get(`/console/screens/${key}`)
  assert.equal(status, 200, body.message)
  return body.data
}
const field = (fields: Field[], name: string) => fields.find((one) => one.name === name)

describe('GET /console', () => {
  it('is for whoever is signed in, and for no key', async () => {
    assert.equal((await world.anonymous.get('/console/home')).status, 401)
    for (const path of ['/console', '/console/screens/trucks']) {
      assert.equal((await world.anonymous.get(path)).status, 401)
      assert.equal((await world.central().get(path)).status, 401)
    }
    const { body } = await firm.owner.post('/api-keys', { name: 'Shop', scopes: ['*'] })
    world.secret(body.data.key)
    assert.equal((await world.tenant(body.data.key).get('/console')).body.code, 'KEY_NOT_ALLOWED')
  })

  it('tells who one is, where, and what is there, as /me does', async () => {
    const told = await consoleOf(firm.owner)
    const me = (await firm.owner.get('/me')).body.data
    const { accent, logo_url, ...place } = told.workspace!
    assert.deepEqual(place, me.workspace)
    assert.deepEqual([told.api, accent, logo_url, told.unread_notifications], ['workspace', '#1f4f82', null, 0])
    assert.deepEqual(
      [told.user.id, told.user.email, told.user.is_owner, told.user.role, told.user.impersonated_by],
      [me.user.id, me.user.email, true, ['superadmin'], null],
    )
    const trucks = told.modules.find(({ key }) => key === 'trucks')
    assert.deepEqual(trucks, { key: 'trucks', title: 'Trucks', category: null, screens: ['trucks'] })
    assert.ok(told.permissions.includes('trucks.assign'))
    assert.ok(!told.permissions.includes('invoices.view'))
  })

  it('shows of screens and permissions what is installed and permitted', async () => {
    const keys = async (who: Client) => (await consoleOf(who)).screens.map(({ key }) => key)
    const ofOwner = await keys(firm.owner)
    for (const key of ['trucks', 'repair-shops', 'vendors', 'users', 'roles', 'notifications'])
      assert.ok(ofOwner.includes(key), key)
    assert.ok(!ofOwner.includes('invoices'))
    assert.ok(!(await keys(bare.owner)).includes('trucks'))
    const viewer = await firm.user(['trucks.view'])
    const told = await consoleOf(viewer)
    const [truck] = told.screens.filter(({ module }) => module === 'trucks')
    assert.deepEqual([truck?.key, truck?.may_create, truck?.has_board, truck?.is_searchable], ['trucks', false, true, true])
    assert.ok(!told.screens.some(({ key }) => key === 'repair-shops'))
    assert.deepEqual(told.permissions, ['trucks.view'])
    assert.equal((await viewer.get('/console/screens/trucks')).status, 200)
    for (const key of ['repair-shops', 'invoices', 'nothing', 'toString'])
      assert.equal((await viewer.get(`/console/screens/${key}`)).status, 404, key)
    assert.equal((await bare.owner.get('/console/screens/trucks')).status, 404)
  })

  it('begins imports where their steps are, and offers no form of them', async () => {
    const rich = await world.workspace({ modules: ['leads'] })
    for (const [key, import_of, kept] of [
      ['leads-imports', 'leads', /\/(undo|options)$/],
      ['imports', null, /\/undo$/],
    ] as const) {
      const { begun, create, edit, actions } = await screenOf(rich.owner, key)
      assert.deepEqual([begun?.import_of, create, edit], [import_of, null, null], key)
      for (const { path } of actions) assert.match(path, kept)
    }
    const leads = await screenOf(rich.owner, 'leads')
    assert.deepEqual([leads.begun, leads.create?.path], [null, '/leads'])
  })

  it('says which permission shows the records of others', async () => {
    const rich = await world.workspace({ modules: ['invoices', 'trucks'] })
    const member = await rich.user(['invoices.view', 'trucks.view'])
    const seen = async (key: string) => (await screenOf(member, key)).sees_all
    assert.deepEqual([await seen('invoices'), await seen('trucks')], ['invoices.assign', 'trucks.assign'])
    assert.equal((await screenOf(rich.owner, 'users')).sees_all, null)
    const ofPlatform = await allScreens(modules, 'platform')
    assert.ok(ofPlatform.every(({ sees_all }) => sees_all === null))
  })

  it('is a 304 while nothing changes', async () => {
    const person = await firm.user(['trucks.view'])
    const { headers } = await person.get('/console')
    const again = (etag: string) => person.get('/console', { headers: { 'if-none-match': etag } })
    assert.match(String(headers.etag), /^"[\w-]{22}"$/)
    const unchanged = await again(String(headers.etag))
    assert.deepEqual([unchanged.status, unchanged.raw.length], [304, 0])
    assert.equal((await again('"other"')).status, 200)
    await firm.owner.put('/settings', { settings: { document_accent_color: '#aa0000' } })
    const { status, body } = await again(String(headers.etag))
    assert.deepEqual([status, body.data.workspace.accent], [200, '#aa0000'])
    const screen = await person.get('/console/screens/trucks')
    const same = await person.get('/console/screens/trucks', { headers: { 'if-none-match': String(screen.headers.etag) } })
    assert.equal(same.status, 304)
  })

  it('tells what the first screen is made of: cards with what their rows hold, and lists that are counted by state', async () => {
    const seller = await firm.user(['vendors.view'])
    const none = (await seller.get('/console/home')).body.data
    assert.deepEqual(none, { cards: [], series: [], charts: [] })
    const rich = await world.workspace({ modules: ['invoices', 'tasks', 'inventory'] })
    const { cards, charts } = (await rich.owner.get('/console/home')).body.data as {
      cards: { key: string; screen: string | null; filters: object; fields: Field[] }[]
      charts: { screen: string; stats: string; filter: string; states: { value: string; label: string }[] }[]
    }
    const unpaid = cards.find(({ key }) => key === 'unpaid_invoices')!
    assert.deepEqual([unpaid.screen, unpaid.filters], ['invoices', { status: 'unpaid' }])
    assert.deepEqual(
      ['number', 'due_date', 'company', 'balance_due'].map((name) => field(unpaid.fields, name)?.kind),
      ['text', 'date', 'reference', 'money'],
    )
    const { widgets } = (await rich.owner.get('/dashboard')).body.data as { widgets: { key: string }[] }
    assert.deepEqual(cards.map(({ key }) => key).sort(), widgets.map(({ key }) => key).sort())
    const chart = charts.find(({ screen }) => screen === 'tasks')!
    assert.deepEqual([chart.stats, chart.filter], ['/tasks/stats', 'status'])
    const counts = (await rich.owner.get(chart.stats)).body.data
    for (const { value } of chart.states) assert.equal(counts[value], 0, value)
    const { series } = (await rich.owner.get('/console/home')).body.data as { series: { screen: string; chart: Chart }[] }
    const { chart: revenue } = series.find(({ screen }) => screen === 'invoices')!
    assert.deepEqual(
      [revenue.path, revenue.by[0]?.value, revenue.of[0], revenue.unit, revenue.splits[0]?.value],
      ['/invoices/series', 'issue_date', { value: 'total', label: 'Total', kind: 'money' }, 'month', 'status'],
    )
    const viewer = await rich.user(['tasks.view'])
    const seen = (await viewer.get('/console/home')).body.data
    const keys = [seen.cards.map(({ key }: { key: string }) => key), seen.charts.map((one: { screen: string }) => one.screen)]
    assert.deepEqual([...keys, seen.series], [['my_open_tasks'], ['tasks'], []])
  })

  it('counts what one has not read', async () => {
    const driver = await firm.user(['trucks.view'])
    const { body } = await firm.owner.post('/trucks', { plate: 'U 1', name: 'Unread', assigned_to: driver.id })
    const mention = { body: `See @[Driver](${driver.id})` }
    assert.equal((await firm.owner.post(`/trucks/${body.data.id}/notes`, mention)).status, 201)
    await world.drain()
    assert.equal((await consoleOf(driver)).unread_notifications, 1)
  })
})

describe('codes', () => {
  it('are called by words, and lists are kept to them by these', async () => {
    const { list } = await screenOf(firm.owner, 'audit-logs')
    for (const fields of [list.columns, list.filters]) {
      const words = new Map(field(fields, 'event')!.options!.map(({ value, label }) => [value, label]))
      assert.equal(field(fields, 'event')!.kind, 'text', 'there may be others')
      assert.equal(words.get('user_signed_in'), 'Signed in')
      assert.equal(words.get('api_key.created'), 'API key created')
      assert.equal(words.get('module_installed'), 'Module installed', 'by the platform, about the workspace')
      assert.equal(words.get('system_settings_updated'), undefined, 'the platform’s own')
    }
    const made = await firm.owner.post('/api-keys', { name: 'Told', scopes: ['*'] })
    world.secret(made.body.data.key)
    const kept = await firm.owner.get('/audit-logs', { query: { event: 'api_key.created' } })
    assert.deepEqual([...new Set(kept.body.data.map(({ event }: { event: string }) => event))], ['api_key.created'])
    const { parts } = await screenOf(world.admin, 'users')
    const activity = parts.find(({ key }) => key === 'activity')!
    assert.ok(field(activity.list.columns, 'event')!.options!.some(({ label }) => label === 'System settings changed'))
  })

  it('of the platform’s latest events come with what they are called', async () => {
    await world.admin.put('/system-settings', { settings: { support_email: 'help@atrium.test' } })
    const [latest] = (await world.admin.get('/dashboard')).body.data.recent_activities
    assert.deepEqual([latest.event, latest.title], ['system_settings_updated', 'System settings changed'])
  })
})

describe('a screen of a module that says nothing of screens', () => {
  it('has the list with its columns, filters and sorts', async () => {
    const { list, ...screen } = await screenOf(firm.owner, 'trucks')
    assert.deepEqual(
      [screen.title, screen.noun, screen.resource, screen.path, screen.key_field, screen.title_field, screen.allow],
      ['Trucks', 'truck', 'truck', '/trucks', 'id', 'name', ['trucks.view']],
    )
    assert.deepEqual(list.default_sort, { by: 'created_at', direction: 'desc' })
    assert.deepEqual([list.is_paged, list.is_searchable, list.has_trash], [true, true, true])
    assert.ok(list.sorts.includes('plate') && list.sorts.includes('inspection_due_on'))
    const shown = list.columns.filter(({ is_hidden }) => !is_hidden).map(({ name }) => name)
    assert.deepEqual(shown, ['name', 'status', 'plate', 'odometer_km', 'inspection_due_on', 'repair_shop_id', 'assigned_to'])
    assert.equal(field(list.columns, 'odometer_km')?.kind, 'number')
    assert.equal(field(list.columns, 'inspection_due_on')?.kind, 'date')
    assert.deepEqual(field(list.columns, 'repair_shop_id')?.refers_to, {
      resource: 'repair_shop',
      screen: 'repair-shops',
      embed: 'repair_shop',
      title_field: 'name',
    })
    assert.equal(field(list.columns, 'repair_shop'), undefined)
    assert.deepEqual(
      list.filters.map(({ name, kind }) => [name, kind]),
      [
        ['status', 'enum'],
        ['repair_shop_id', 'reference'],
        ['assigned_to', 'reference'],
        ['my_trucks', 'boolean'],
        ['inspection_due_on_from', 'date'],
        ['inspection_due_on_to', 'date'],
        ['created_at_from', 'instant'],
        ['created_at_to', 'instant'],
      ],
    )
    const { layouts, groups, icon, dates } = screen
    assert.deepEqual(
      { layouts, groups, icon, dates, order: list.order },
      { layouts: ['list', 'board', 'calendar'], groups: [], icon: null, dates: ['inspection_due_on', 'created_at'], order: null },
    )
    assert.deepEqual(field(list.filters, 'assigned_to')?.also, ['unassigned'])
    assert.deepEqual(field(list.filters, 'status')?.options?.[1], { value: 'in_workshop', label: 'In workshop' })
  })

  it('has the forms, the record, the board and the actions', async () => {
    const { create, edit, record, board, lifecycle, actions, ...screen } = await screenOf(firm.owner, 'trucks')
    assert.deepEqual([create?.method, create?.path, create?.allow], ['POST', '/trucks', ['trucks.create']])
    const plate = field(create!.fields, 'plate')!
    assert.deepEqual([plate.kind, plate.is_required, plate.max_length], ['text', true, 20])
    const odometer = field(create!.fields, 'odometer_km')!
    assert.deepEqual(
      [odometer.is_required, odometer.default, odometer.decimals, odometer.min, odometer.max],
      [undefined, '0', 1, 0, 9_999_999],
    )
    assert.ok(edit!.fields.every((one) => !one.is_required && one.default === undefined))
    assert.deepEqual(screen.dates, ['inspection_due_on', 'created_at'])
    assert.deepEqual(
      [board?.path, board?.by, board?.rows, board?.move?.path, board?.card, board?.sums.map(({ name }) => name)],
      ['/trucks/board', 'status', 'trucks', '/trucks/{id}/status', null, ['odometer_km']],
    )
    assert.equal(lifecycle?.initial, 'available')
    assert.deepEqual(
      actions.map(({ label, path, allow }) => [label, path, allow]),
      [
        ['Assign', '/trucks/{id}/assign', ['trucks.assign']],
        ['Change the status', '/trucks/{id}/status', ['trucks.update']],
      ],
    )
    assert.ok(record?.fields.some(({ name }) => name === 'activities'))
    assert.deepEqual(
      [screen.notes?.path, screen.timeline, screen.restore?.path, screen.purge?.path, screen.bulk?.path, screen.export?.path],
      [
        '/trucks/{id}/notes',
        '/trucks/{id}/timeline',
        '/trucks/{id}/restore',
        '/trucks/{id}/force',
        '/trucks/bulk',
        '/trucks/export',
      ],
    )
  })

  it('names what the API takes: a truck is made, changed, listed, moved and deleted by what it says', async () => {
    const { create, edit, list, board, remove, restore } = await screenOf(firm.owner, 'trucks')
    const values = Object.fromEntries(
      create!.fields.filter(({ is_required }) => is_required).map(({ name }, n) => [name, `T ${n}`]),
    )
    const made = await firm.owner.post(create!.path as '/', values)
    assert.equal(made.status, 201, made.body.message)
    const at = (form: Pick<Form, 'path'> | null) => form!.path.replace('{id}', made.body.data.id) as '/'
    assert.equal((await firm.owner.put(at(edit), { name: 'Changed' })).status, 200)
    for (const sort of list.sorts) assert.equal((await firm.owner.get('/trucks', { query: { sort } })).status, 200, sort)
    const { name, options } = list.filters[0]!
    const found = await firm.owner.get('/trucks', { query: { [name]: options![0]!.value } })
    assert.equal(found.body.data.length > 0, true)
    assert.equal((await firm.owner.post(at(board!.move), { [board!.move!.fields[0]!.name]: 'in_workshop' })).status, 200)
    assert.equal((await firm.owner.del(at(remove))).status, 200)
    assert.equal((await firm.owner.post(at(restore))).status, 200)
  })

  it('says where the roles are listed that somebody is given', async () => {
    for (const surface of ['workspace', 'platform'] as const) {
      const screens = (await allScreens(modules, surface)).filter(({ key }) => key === 'users' || key === 'service-accounts')
      const forms = screens.flatMap(({ create, edit, list_actions }) => [create, edit, ...list_actions])
      const given = forms.flatMap((form) => form?.fields.filter(({ name }) => name === 'role') ?? [])
      assert.ok(given.length >= 4, surface)
      for (const { kind, choices } of given) assert.deepEqual([kind, choices?.path], ['list', '/roles'], surface)
    }
  })

  it('says what a list can’t be asked without', async () => {
    const { owner } = await world.workspace({ modules: ['inventory', 'products', 'warehouses'] })
    const { path, list } = await screenOf(owner, 'inventory-stock-movements')
    const needed = list.filters.filter(({ is_required }) => is_required)
    assert.deepEqual(
      needed.map(({ name, kind }) => [name, kind]),
      [['product_id', 'reference']],
    )
    const made = await owner.post('/products', { name: 'Oak desk', sku: 'DESK', unit_price: 1 })
    const asked = async (query: object) => (await owner.get(path as '/', { query: query as Record<string, string> })).status
    assert.deepEqual([await asked({}), await asked({ product_id: String(made.body.data.id) })], [422, 200])
    for (const surface of ['workspace', 'platform'] as const)
      for (const { key, list } of await allScreens(modules, surface))
        if (key !== 'inventory-stock-movements') assert.ok(!list.filters.some(({ is_required }) => is_required), key)
  })
})

describe('a screen that its module adjusts', () => {
  /** Custom pages of all modules. */
  const pages = async () => {
    const all = modules.all.map(async ({ key, surface, screen }) =>
      Object.values((await screen?.())?.default.pages ?? {}).map((page) => ({ ...page, key, surface, module: key })),
    )
    return (await Promise.all(all)).flat()
  }
  const trucks = async () => structuredClone((await allScreens(modules, 'workspace')).find(({ key }) => key === 'trucks')!)

  it('is what the guide shows', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../docs/console.md'), 'utf8')
    const [, shown] = /^`src\/workspace\/trucks\/screen.ts`\n\n```ts\n(.*?)^```$/ms.exec(guide) ?? []
    assert.equal(shown, readFileSync(join(import.meta.dirname, 'fixtures/screens/trucks.ts'), 'utf8'))
    const screen = await trucks()
    adjust(screen, trucksScreens.choices.trucks!)
    const visible = screen.list.columns.filter(({ is_hidden }) => !is_hidden).map(({ name }) => name)
    assert.deepEqual(visible, ['plate', 'name', 'status', 'inspection_due_on', 'assigned_to'])
    assert.ok(field(screen.list.columns, 'odometer_km')?.is_hidden)
    assert.deepEqual([screen.layouts[0], screen.groups[1]?.title, screen.icon], ['calendar', 'Inspection', 'box'])
    assert.deepEqual(screen.list.order, { by: 'inspection_due_on', direction: 'asc' })
    const { path, by, of, unit, split, is_ahead } = screen.chart!
    assert.deepEqual(
      [path, by.map(({ value }) => value), of, unit, split, is_ahead],
      [
        '/trucks/series',
        ['inspection_due_on', 'created_at'],
        [{ value: 'count', label: 'How many', kind: 'number' }],
        'month',
        'status',
        true,
      ],
    )
    assert.ok(Screen.safeParse(screen).success)
  })

  it('names nothing that it doesn’t have', async () => {
    const screen = await trucks()
    for (const [choice, what] of [
      [{ columns: ['colour'] }, /no column colour/],
      [{ groups: [{ title: 'Paint', fields: ['colour'] }] }, /no field colour/],
      [{ order: { by: 'colour', direction: 'asc' } }, /no sort colour/],
      [{ chart: { by: 'plate' } }, /no day of a series plate/],
      [{ chart: { of: 'colour' } }, /no sum of a series colour/],
      [{ chart: { split: 'plate' } }, /no split of a series plate/],
    ] as const)
      assert.throws(() => adjust(screen, choice), what)
    const { layouts: _, ...repairShops } = structuredClone(
      (await allScreens(modules, 'workspace')).find(({ key }) => key === 'repair-shops')!,
    )
    assert.throws(() => adjust({ ...repairShops, layouts: ['list'] }, { layouts: ['board'] }), /no layout board/)
    assert.throws(() => adjust({ ...repairShops, layouts: ['list'] }, { chart: { unit: 'week' } }), /no series to chart/)
    adjust(screen, { chart: false })
    assert.equal(screen.chart, null)
    assert.throws(() => adjust({ ...repairShops, layouts: ['list'], board: null }, { card: ['name'] }), /has no board/)
  })

  it('has a picture that the console has, as pages have', async () => {
    const pictures = readFileSync(join(import.meta.dirname, '../src/console/client/parts/icon.tsx'), 'utf8')
    for (const { key, icon } of [...(await allScreens(modules, 'workspace')), ...(await pages())])
      assert.ok(!icon || pictures.includes(`\n  ${icon}:`), `${key}: ${icon}`)
  })

  /** Modules of the tests, which have no German texts. */
  const ofTests = new Set(modules.all.filter(({ folder }) => folder.startsWith(import.meta.dirname)).map(({ key }) => key))
  const isOfTests = (name: string) => /(^|\.)(truck|repair_shop)s?\b/.test(name)
  const ownScreens = async () =>
    [...(await allScreens(modules, 'workspace')), ...(await allScreens(modules, 'platform'))].filter(
      ({ module }) => !ofTests.has(module),
    )
  const ownSettings = () =>
    settingsFor(modules, { entitled: () => true, isOwner: true }).filter(({ module }) => !module || !ofTests.has(module))
  /** Returns all fields of a screen. */
  const fieldsOf = ({ list, record, create, edit, actions, list_actions, parts }: Screen): Field[] => {
    const forms = [
      create,
      edit,
      ...actions,
      ...list_actions,
      ...parts.flatMap((part) => [part.create, part.edit, ...part.actions]),
    ]
    const lists = [list, ...parts.map((part) => part.list)]
    return [
      ...lists.flatMap(({ columns, filters }) => [...columns, ...filters]),
      ...(record?.fields ?? []),
      ...forms.flatMap((form) => form?.fields ?? []),
    ]
  }

  /** Returns the texts about fields and actions on screens, as in the API. */
  async function saidToPeople(): Promise<Set<string>> {
    const screens = await ownScreens()
    const hintsOf = (fields: Field[]): string[] => fields.flatMap(({ hint, fields = [] }) => [hint ?? [], hintsOf(fields)].flat())
    const groups = [...settingsFor(modules, { entitled: () => true, isOwner: true }), ...platformSettingGroups()]
    const settings = groups.flatMap(({ fields }) => hintsOf(fields))
    const said = screens.flatMap(({ create, edit, actions, list_actions, parts, lifecycle, begun }) => {
      const done = [...actions, ...list_actions, ...parts.flatMap((part) => part.actions)]
      const forms = [create, edit, ...done, ...parts.flatMap((part) => [part.create, part.edit])]
      const deeds = [...done, ...(lifecycle?.moves ?? [])]
      const hints = forms.flatMap((form) => hintsOf(form?.fields ?? []))
      return [...hints, ...deeds.flatMap(({ description }) => description ?? []), ...(begun ? [begun.says] : [])]
    })
    const isTold = (hint: string) => !/\bGET \//.test(hint)
    return new Set([...said, ...settings.filter(isTold)])
  }

  it('has German for all that it says of fields and actions', async () => {
    const { hints } = await import('../src/console/client/texts/hints.de.ts')
    const all = new Set([...(await saidToPeople())].map((one) => one.replaceAll('`', '')))
    const [missing, unused] = [[...all].filter((one) => !hints[one]), Object.keys(hints).filter((one) => !all.has(one))]
    assert.deepEqual([missing, unused], [[], []])
  })

  it('says something to people by every description of a field or an action, and nothing that is for programs', async () => {
    const { plain } = await import('../src/console/client/texts/plain.ts')
    // Analytics tools use these names for campaigns.
    const ofPrograms = /\b4\d\d\b|\b(GET|POST|PUT|PATCH|DELETE) |\b(?!utm_)[a-z]+_[a-z]|\broutes?\b|Unless sent/
    const all = [...(await saidToPeople())].map(plain)
    assert.deepEqual(
      all.filter((one) => !one || ofPrograms.test(one)),
      [],
    )
    assert.equal(
      plain('When it came; null: never. Unless sent: now. 422 on `status` for a draft.'),
      'When it came. Left empty: now.',
    )
    assert.equal(plain('It is closed (403 `SUSPENDED`).'), 'It is closed.')
  })

  it('has German for the settings of the platform: groups, names and what is chosen from', async () => {
    const { labels } = await import('../src/console/client/texts/labels.de.ts')
    const said = platformSettingGroups().flatMap(({ title, fields }) => [
      title,
      ...fields.flatMap(({ name, label, options = [] }) => [
        label,
        ...(name === 'locale' ? [] : options.map((one) => one.label)),
      ]),
    ])
    assert.deepEqual(
      said.filter((one) => !labels[one]),
      [],
    )
  })

  it('has German for every word that a field may hold: states, kinds, events of the audit log, types of notifications and mails', async () => {
    const { labels } = await import('../src/console/client/texts/labels.de.ts')
    const isOwn = ({ value }: { value: string | number }) => !isOfTests(String(value))
    const optionsOf = (fields: Field[]): string[] =>
      fields.flatMap(({ name, kind, options = [], fields = [] }) => [
        // The browser provides names of countries and languages.
        ...(/^country$|(^|_)(languages?|locale)$/.test(name) ? [] : options.filter(isOwn).map(({ label }) => label)),
        // An object is shown by its title.
        ...(kind === 'object' ? [] : optionsOf(fields)),
      ])
    const settings = ownSettings().flatMap(({ fields }) => fields)
    const all = new Set([...(await ownScreens()).flatMap((screen) => optionsOf(fieldsOf(screen))), ...optionsOf(settings)])
    for (const known of ['Draft', 'Module installed', 'System settings changed', 'You are given leads', 'Invitation to the beta'])
      assert.ok(all.has(known), known)
    assert.deepEqual([...all].filter((label) => !labels[label] && /\p{L}/u.test(label)).sort(), [])
  })

  it('has German for what it calls fields, lists and what can be done', async () => {
    const { labels } = await import('../src/console/client/texts/labels.de.ts')
    const namesOf = (fields: Field[]): string[] =>
      fields.flatMap(({ label, kind, fields = [] }) => [label, ...(kind === 'object' ? [] : namesOf(fields))])
    const settings = ownSettings().flatMap(({ title, fields }) => [title, ...namesOf(fields)])
    // A new module has English names until it is translated.
    const { nameInGerman } = await import('../src/console/client/texts/permissions.de.ts')
    const permissions = [...modules.permissions('workspace'), ...modules.permissions('platform')]
    const isNew = ({ module }: Screen) => {
      const own = permissions.filter(({ group }) => group === module)
      return own.length > 0 && own.every(({ name }) => !nameInGerman(name, (english) => labels[english]))
    }
    const screens = (await ownScreens()).filter((screen) => !isNew(screen))
    assert.ok(screens.length > 60, `${screens.length} screens have a German name`)
    const said = screens.flatMap((screen) => {
      const { title, noun, actions, list_actions, parts, groups, downloads } = screen
      const deeds = [...actions, ...list_actions, ...parts.flatMap((part) => part.actions)]
      return [
        ...[title, noun, ...parts.flatMap((part) => [part.title, part.noun]), ...groups.map((group) => group.title)],
        ...[...deeds.flatMap((deed) => [deed.label, deed.title]), ...downloads.map(({ label }) => label)],
        ...namesOf(fieldsOf(screen)),
      ]
    })
    // Range filters contain the field's label: "Due date from".
    const isKnown = (label: string) => labels[label] ?? labels[label.replace(/ (from|to)$/, '')]
    assert.deepEqual([...new Set([...said, ...settings])].filter((label) => !isKnown(label)).sort(), [])
  })

  it('has German for what notifications say', async () => {
    const { labels } = await import('../src/console/client/texts/labels.de.ts')
    const { sentences } = await import('../src/console/client/texts/sentences.de.ts')
    const { germanFor, sentenceOf } = await import('../src/console/client/texts/matching.ts')
    const { MENTIONED } = await import('../src/workspace/notifications/catalogue.ts')
    const known = sentences.map(sentenceOf)
    const files = globSync(join(sourceRoot, 'workspace/*/notifications.ts')).map((file) => readFileSync(file, 'utf8'))
    const titles = files.flatMap((text) => [...text.matchAll(/\btitle: '([^']+)'/g)].map(([, title]) => title!))
    const bodies = files.flatMap((text) => [...text.matchAll(/=>\s*`([^`]+)`/g)].map(([, body]) => body!))
    const mentions = MENTIONED.filter((type) => !isOfTests(type)).map(
      (type) => `Ann mentioned you in a note on ${type.replaceAll('_', ' ')} 7.`,
    )
    assert.ok(titles.length > 30 && bodies.length > 15 && mentions.length > 10)
    const said = [...titles, ...bodies.map((body) => body.replace(/\$\{[^}]*\}/g, 'X')), ...mentions]
    const german = (text: string) => labels[text] ?? germanFor(known, text, (hole) => hole)
    assert.deepEqual(
      said.filter((text) => !german(text)),
      [],
    )
    // The first matching sentence counts: no generic sentence may match before a specific one.
    assert.equal(german('Invoice 7 was voided.'), 'Rechnung 7 wurde storniert.')
  })

  it('has German for what routes say when they have done it', async () => {
    const { labels } = await import('../src/console/client/texts/labels.de.ts')
    const { sentences } = await import('../src/console/client/texts/sentences.de.ts')
    const { germanFor, sentenceOf } = await import('../src/console/client/texts/matching.ts')
    const known = sentences.map(sentenceOf)
    const without = new Set<string>()
    const word = (said: string) => {
      const german = labels[said] ?? labels[said.charAt(0).toLowerCase() + said.slice(1)]
      if (!german) without.add(said)
      return german ?? said
    }
    // A word without a translation may belong to a new module.
    const isNew = (key: string) => ofTests.has(key) || !labels[modules.all.find((one) => one.key === key)!.title]
    const routes = (await modules.routes()).filter(({ route, module }) => route.method !== 'GET' && !isNew(module.key))
    const said = new Set(routes.flatMap(({ route }) => route.spec.message ?? []))
    assert.ok(said.size > 150)
    const missing = [...said].filter((one) => !germanFor(known, one, (hole, { isWord }) => (isWord ? word(hole) : hole)))
    assert.deepEqual([missing.sort(), [...without].sort()], [[], []])
    const german = (text: string) => germanFor(known, text, (hole, { isWord }) => (isWord ? labels[`D${hole.slice(1)}`]! : hole))
    for (const [english, expected] of [
      ['6,998.55 EUR is still due; an invoice becomes paid by its payments.', /^6.+ EUR sind noch offen/],
      ['CN-00001 is draft; only issued credit notes can be applied.', /^CN-00001 ist: Entwurf; nur ausgestellte/],
      ['Must be a time such as 09:00 or 09:00:00.', /^Muss eine Uhrzeit wie 09:00 sein\.$/],
      ['The e-mail address or the password is not right.', /stimmt nicht/],
      ['Is required for a recurring invoice.', /Serienrechnung/],
      ['Batch accepted.', /Auftrag ist angenommen/],
    ] as const)
      assert.match(german(english) ?? '', expected)
  })

  it('writes the days and sums of sentences as the console does', async () => {
    const { sentences } = await import('../src/console/client/texts/sentences.de.ts')
    const { germanFor, sentenceOf, writtenInGerman } = await import('../src/console/client/texts/matching.ts')
    const known = sentences.map(sentenceOf)
    const german = (text: string) => germanFor(known, text, writtenInGerman)
    assert.equal(
      german('Signature requested, by a link until 2026-12-26'),
      'Unterschrift erbeten, über einen Link bis 26.12.2026',
    )
    assert.equal(german('Series started, next on 2026-11-30'), 'Serie begonnen, als Nächstes am 30.11.2026')
    assert.match(german('6,998.55 EUR is still due; an invoice becomes paid by its payments.')!, /^6\.998,55 EUR sind/)
    assert.equal(german('Allocated 1,190.00 EUR to RE-2.1'), '1.190,00 EUR der RE-2.1 zugeordnet')
  })

  it('has German for every permission: what it is called, and what it says that it allows', async () => {
    const { labels } = await import('../src/console/client/texts/labels.de.ts')
    const { allowed, nameInGerman } = await import('../src/console/client/texts/permissions.de.ts')
    const { germanFor } = await import('../src/console/client/texts/matching.ts')
    const missing = new Set<string>()
    const word = (said: string) =>
      said
        .split(' and ')
        .map((one) => {
          const english = one.charAt(0).toUpperCase() + one.slice(1)
          if (!labels[english]) missing.add(english)
          return labels[english] ?? ''
        })
        .join(' und ')
    const used = new Set<string>()
    // A new module has English names until it is translated.
    const isNew = (surface: 'workspace' | 'platform', of: string) =>
      ofTests.has(of) ||
      modules.permissions(surface).every(({ name, group }) => group !== of || !nameInGerman(name, (english) => labels[english]))
    const groups = (['workspace', 'platform'] as const).map((surface) =>
      [...new Set(modules.permissions(surface).map(({ group }) => group))].filter((group) => !isNew(surface, group)),
    )
    assert.ok(groups.flat().length > 50, `${groups.flat().length} modules have a German name`)
    for (const surface of ['workspace', 'platform'] as const)
      for (const { name, group, description } of modules.permissions(surface)) {
        if (isNew(surface, group)) continue
        const german = germanFor(allowed, description, word)
        if (!german) missing.add(description)
        else used.add(description)
        if (!nameInGerman(name, (english) => labels[english])) missing.add(name)
      }
    const whole = allowed.flatMap(({ pieces, holes: [hole] }) => (hole ? [] : pieces.join('')))
    assert.deepEqual([[...missing], whole.filter((one) => !used.has(one))], [[], []])
  })

  it('says each label in German once', () => {
    const lines = readFileSync(join(sourceRoot, 'console/client/texts/labels.de.ts'), 'utf8').matchAll(/^([^|\n`]+)\|.+$/gm)
    const [known, repeated] = [new Set<string>(), new Set<string>()]
    for (const [, english] of lines) known.has(english!) ? repeated.add(english!) : known.add(english!)
    assert.ok(known.size > 500)
    assert.deepEqual([...repeated], [])
  })

  it('is drawn by files that are there', async () => {
    const screens = [...(await allScreens(modules, 'workspace')), ...(await allScreens(modules, 'platform'))]
    const drawn = screens.flatMap(({ module, drawn }) =>
      Object.values(drawn).map((file) => ({ surface: modules.all.find(({ key }) => key === module)!.surface, module, file })),
    )
    for (const { surface, module, file } of [
      ...drawn,
      ...(await pages()).map(({ drawn, ...page }) => ({ ...page, file: drawn })),
    ]) {
      assert.ok(existsSync(join(sourceRoot, surface, module, 'screen', `${file}.tsx`)), `${module}: screen/${file}.tsx`)
    }
    const screen = await trucks()
    adjust(screen, { drawn: { edit: 'editor' } })
    assert.deepEqual(screen.drawn, { edit: 'editor' })
    assert.throws(() => adjust({ ...screen, board: null, layouts: ['list'] }, { drawn: { board: 'wall' } }), /no place board/)
  })

  it('keeps a list to the days that are asked for', async () => {
    for (const [plate, inspection_due_on] of [
      ['D 1', '2031-05-31'],
      ['D 2', '2031-06-01'],
      ['D 3', '2031-06-30'],
      ['D 4', '2031-07-01'],
      ['D 5', null],
    ])
      assert.equal((await firm.owner.post('/trucks', { plate, name: 'Days', inspection_due_on })).status, 201)
    const query = { inspection_due_on_from: '2031-06-01', inspection_due_on_to: '2031-06-30', sort: 'inspection_due_on' }
    const { body } = await firm.owner.get('/trucks', { query })
    assert.deepEqual(
      body.data.map(({ plate }: { plate: string }) => plate),
      ['D 2', 'D 3'],
    )
    const wrong = await firm.owner.get('/trucks', { query: { inspection_due_on_from: 'June' } })
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors!)], [422, ['inspection_due_on_from']])
  })
})

describe('GET /console/settings', () => {
  it('tells the settings of what is installed as fields, those of the owner to the owner alone', async () => {
    const groupsOf = async (who: Client): Promise<{ module: string | null; title: string; fields: Field[] }[]> => {
      const { status, body } = await who.get('/console/settings')
      assert.equal(status, 200, body.message)
      return body.data
    }
    const groups = await groupsOf(firm.owner)
    assert.deepEqual(
      groups.slice(0, 2).map(({ module, title }) => [module, title]),
      [
        ['settings', 'Firm'],
        [null, 'Workspace'],
      ],
    )
    const all = groups.flatMap(({ fields }) => fields)
    assert.equal(field(all, 'company_address')?.kind, 'long_text')
    assert.equal(field(all, 'document_accent_color')?.kind, 'colour')
    assert.deepEqual(
      [field(all, 'trucks_inspection_notice_days')?.kind, field(all, 'trucks_inspection_notice_days')?.default],
      ['number', 30],
    )
    assert.ok(field(all, 'platform_access') && !field(all, 'invoices_number_prefix'))
    const { settings } = (await firm.owner.get('/settings')).body.data
    for (const { name } of all) assert.ok(name in settings, name)
    const clerk = await firm.user(['settings.view'])
    assert.ok(
      !field(
        (await groupsOf(clerk)).flatMap(({ fields }) => fields),
        'platform_access',
      ),
    )
    assert.equal((await (await firm.user([])).get('/console/settings')).status, 403)
  })
})

describe('the screens of every module', () => {
  for (const surface of ['workspace', 'platform'] as const)
    it(`name routes, permissions and screens that the ${surface} has`, async () => {
      const screens = await allScreens(modules, surface)
      const base = surface === 'workspace' ? '/api/tenant/v1' : '/api/central/v1'
      const routes = new Set(
        (await modules.routes()).map(({ route, path }) => `${route.method} ${path.replace(/:(\w+)/g, '{$1}')}`),
      )
      const names = new Set(modules.permissions(surface).map(({ name }) => name))
      const keys = new Set(screens.map(({ key }) => key))
      assert.equal(keys.size, screens.length)
      const wrong: string[] = []
      const judge = (at: string, ok: boolean, what: string) => void (ok || wrong.push(`${at}: ${what}`))
      const judgeFields = (at: string, fields: Field[] = []) => {
        judge(at, new Set(fields.map(({ name }) => name)).size === fields.length, 'two fields of a name')
        for (const { name, label, kind, options, refers_to, fields: inner } of fields) {
          judge(at, label.length > 0, `${name} has no label`)
          judge(at, kind !== 'enum' || !!options?.length, `${name} has no options`)
          judge(at, !kind.startsWith('reference') || !!refers_to, `${name} refers to nothing`)
          judge(at, !refers_to?.screen || keys.has(refers_to.screen), `${name} → ${refers_to?.screen}`)
          judgeFields(`${at}.${name}`, inner)
        }
      }
      const judgeForm = (at: string, form: (Form & Partial<Action>) | null) => {
        if (!form) return
        judge(at, routes.has(`${form.method} ${base}${form.path}`), `${form.method} ${form.path}`)
        for (const one of form.allow) judge(at, names.has(one), one)
        judgeFields(at, form.fields)
      }
      for (const screen of screens) {
        const at = screen.key
        judge(at, routes.has(`GET ${base}${screen.path}`), screen.path)
        for (const one of screen.allow) judge(at, names.has(one), one)
        for (const form of [screen.create, screen.edit, screen.remove, screen.restore, screen.purge, screen.bulk, screen.notes])
          judgeForm(at, form)
        for (const action of [...screen.actions, ...screen.list_actions]) judgeForm(`${at} ${action.key}`, action)
        for (const part of screen.parts)
          for (const form of [part.create, part.edit, part.remove]) judgeForm(`${at} ${part.key}`, form)
        for (const fields of [screen.list.columns, screen.list.filters, screen.record?.fields]) judgeFields(at, fields)
        judge(
          at,
          screen.list.columns.some(({ is_hidden }) => !is_hidden),
          'shows no column',
        )
        judge(at, Screen.safeParse(screen).success, 'is not what its schema says')
      }
      assert.deepEqual(wrong, [])
    })

  it('are small enough to begin with', async () => {
    const { raw, headers } = await firm.owner.get('/console', { headers: { 'accept-encoding': 'identity' } })
    assert.ok(raw.length < 60_000, `${raw.length} ${headers['content-type']}`)
  })
})

describe('GET /console of the platform', () => {
  it('shows the operator’s areas, as far as they may', async () => {
    const told = await consoleOf(world.admin)
    assert.deepEqual([told.api, told.workspace, told.unread_notifications], ['platform', null, null])
    for (const key of ['tenants', 'users', 'roles', 'modules', 'email-logs'])
      assert.ok(
        told.screens.some((one) => one.key === key),
        key,
      )
    const support: Person = await operator(world, ['tenants.list', 'tenants.read'])
    const seen = await consoleOf(support)
    assert.ok(seen.screens.some(({ key }) => key === 'tenants'))
    assert.ok(!seen.screens.some(({ key }) => key === 'payments'))
    assert.equal((await support.get('/console/screens/payments')).status, 404)
    const tenants = await screenOf(support, 'tenants')
    assert.ok(tenants.parts.some(({ key }) => key === 'audit-logs'))
    assert.equal(field(tenants.create!.fields, 'logo')?.kind, 'file')
    assert.equal((await world.anonymous.get('/console')).status, 401)
  })
})

describe('what modules say of each other', () => {
  let office: Workspace
  before(async () => {
    office = await world.workspace({ modules: ['invoices', 'payments', 'quotations', 'employees', 'attendance', 'documents'] })
  })

  it('leads from a record to what names it, and to the form that makes one for it', async () => {
    const { related } = await screenOf(office.owner, 'invoices')
    assert.deepEqual(
      related.find(({ screen }) => screen === 'payments'),
      {
        ...{ screen: 'payments', filter: 'invoice_id', field: 'allocations.invoice_id' },
        takes: ['balance_due', 'currency', 'contact_id', 'company_id'],
      },
    )
    assert.deepEqual((await screenOf(office.owner, 'users')).related, [])
  })

  it('leads on to the record that a deed makes', async () => {
    const { actions } = await screenOf(office.owner, 'quotations')
    const made = actions.flatMap(({ label, makes }) => (makes ? [[label, makes]] : []))
    assert.deepEqual(made, [['Convert', 'invoices']])
  })

  it('has forms that tell where their pages are drawn, which is nothing to be done with a record', async () => {
    const screen = await screenOf(office.owner, 'invoices')
    assert.deepEqual([screen.create?.preview, screen.edit?.preview], ['/invoices/preview', '/invoices/{id}/preview'])
    assert.ok(![...screen.actions, ...screen.list_actions].some(({ path }) => path.endsWith('/preview')))
    assert.equal((await screenOf(office.owner, 'payments')).create?.preview, undefined)
    const { id } = (await office.owner.post('/invoices', { title: 'Desks' })).body.data
    const told: { path: string }[] = (await office.owner.get(`/invoices/${id}/actions`)).body.data
    assert.ok(!told.some(({ path }) => path.endsWith('/preview')))
  })

  it('fills a line with what the chosen product says in the same words, and its name', async () => {
    const filled = async (key: string) => {
      const { create, edit } = (await allScreens(modules, 'workspace')).find((one) => one.key === key)!
      return [create, edit].map((form) => field(field(form!.fields, 'lines')!.fields!, 'product_id')!.fills)
    }
    const same = { unit_price: 'unit_price', tax_rate: 'tax_rate' }
    assert.deepEqual(await filled('invoices'), [
      { name: 'name', ...same },
      { name: 'name', ...same },
    ])
    assert.deepEqual(await filled('purchase-orders'), [
      { description: 'name', ...same },
      { description: 'name', ...same },
    ])
  })

  it('puts last what others of the module choose from', async () => {
    const { modules: all } = await consoleOf(office.owner)
    const attendance = all.find(({ key }) => key === 'attendance')
    assert.deepEqual(attendance?.screens, ['attendance-records', 'attendance-reasons'])
  })

  it('has the deeds of one’s own for whoever may not see the list, and no others', async () => {
    const told = await consoleOf(await office.user([]))
    const records = told.screens.find(({ key }) => key === 'attendance-records')
    assert.deepEqual(
      records?.list_actions.map(({ label }) => label),
      ['Check in', 'Check out'],
    )
    assert.ok(!told.screens.some(({ key }) => key === 'documents' || key === 'attendance-reasons'))
  })
})
