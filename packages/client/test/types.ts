/** Checks which calls compile and which don't, under `exactOptionalPropertyTypes`. Never run, only checked by `tsc`. */
import {
  type ApiError,
  change,
  events,
  pages,
  platformClient,
  rows,
  signIn,
  type Workspace,
  workspaceClient,
} from '../src/index.ts'

const workspace = workspaceClient({ baseUrl: 'http://localhost:3000', token: 'atr_1' })
const platform = platformClient({ baseUrl: 'http://localhost:3000' })

const { data: vendor, etag } = await workspace.POST('/vendors', { body: { name: 'Nordwind' } })
vendor.id satisfies number
vendor satisfies Workspace['schemas']['Vendor']
await workspace.PUT('/vendors/{id}', { params: { path: { id: vendor.id } }, body: { phone: null }, ifMatch: etag })
await workspace.POST('/vendors', { body: { name: 'Nordwind' }, params: { header: { 'Idempotency-Key': 'a' } } })
const list = await workspace.GET('/vendors', { params: { query: { sort: 'name', trashed: 'with', page: 2 } } })
list.data[0]?.name satisfies string | undefined
list.meta.next_page_url satisfies string | null
for await (const { email } of rows(workspace, '/vendors')) email satisfies string | null
for await (const { data, meta } of pages(platform, '/tenants', { params: { query: { per_page: 10 } } }))
  [data[0]!.slug, meta.total] satisfies [string, number]
;(await workspace.GET('/settings')).data.settings.tax_rounding satisfies 'line' | 'document'
;(await workspace.GET('/invoices/{id}/pdf', { params: { path: { id: 1 } }, parseAs: 'blob' })).data satisfies Blob
;(await workspace.DELETE('/vendors/{id}', { params: { path: { id: 1 } } })).data satisfies null
await workspace.POST('/documents', { body: { title: 'Terms', file: new Blob(['a']) } })
await platform.PATCH('/users/{id}', { params: { path: { id: 1 } }, body: {} })

const changed = await change(workspace, '/vendors/{id}', { params: { path: { id: 1 } } }, ({ notes }) => ({ notes: `${notes}!` }))
changed.data.notes satisfies string | null
for await (const { type, subject } of events(workspace, { after: 1, types: ['vendor.*'] }))
  [type, subject.id] satisfies [string, number]

const session = await signIn(workspace, {
  email: 'ann@firm.example',
  password: 'a good passphrase',
  secondFactor: () => '123456',
})
session.workspace.slug satisfies string
const operator = await signIn(platform, { email: 'ann@firm.example', password: 'a good passphrase' })
operator.token satisfies string
declare const error: ApiError
error.fields.name?.[0] satisfies string | undefined

// @ts-expect-error: a name is required
await workspace.POST('/vendors', { body: {} })
// @ts-expect-error: so is a body
await workspace.POST('/vendors')
// @ts-expect-error: no such path
await workspace.GET('/vendor')
// @ts-expect-error: the other API's
await platform.GET('/vendors')
// @ts-expect-error: no such method
await workspace.DELETE('/vendors')
// @ts-expect-error: a page for people, at the root of the service
await workspace.GET('/r/{code}', { params: { path: { code: 'a' } } })
// @ts-expect-error: the path’s parameter is required
await workspace.GET('/vendors/{id}')
// @ts-expect-error: no such query parameter
await workspace.GET('/vendors', { params: { query: { colour: 'red' } } })
// @ts-expect-error: no such query parameter
for await (const _ of rows(workspace, '/vendors', { params: { query: { colour: 'red' } } }));
// @ts-expect-error: no such field
await workspace.POST('/vendors', { body: { name: 'Nordwind', colour: 'red' } })
// @ts-expect-error: no such word to sort by
await workspace.GET('/vendors', { params: { query: { sort: 'colour' } } })
// @ts-expect-error: what has no state can’t be changed in one
await workspace.GET('/vendors/{id}', { params: { path: { id: 1 } }, ifMatch: etag })
// @ts-expect-error: no list
for await (const _ of rows(workspace, '/settings'));
// @ts-expect-error: a file is no text
await workspace.POST('/documents', { body: { title: 'Terms', file: 'a' } })
// @ts-expect-error: a name is a text
await change(workspace, '/vendors/{id}', { params: { path: { id: 1 } } }, () => ({ name: 5 }))
// @ts-expect-error: no such record is changed
await change(workspace, '/api-keys/{id}/rotate', { params: { path: { id: 1 } } }, () => ({}))
// @ts-expect-error: the platform has no feed
for await (const _ of events(platform));
