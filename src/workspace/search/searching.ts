/** Global search over all record types, each within its own list's visibility, in one round trip. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { basePaths, type Module, type Modules } from '#kernel/modules/module.ts'
import type { Permission } from '#kernel/names.ts'
import { type Listing, listingOf } from '#kernel/records/listing.ts'
import { missingModule } from '#kernel/tenancy/session.ts'
import { singular } from '#kernel/values/words.ts'

/** Maximum number of results per type. */
const HITS = 5

const Hit = z.object({
  key: z.union([z.int(), z.string()]).meta({ description: 'What its path calls it: its id or uuid.', examples: [7] }),
  title: z
    .string()
    .nullable()
    .meta({ description: 'What people know it by; null: nothing.', examples: ['Nordwind GmbH'] }),
  number: z
    .string()
    .nullable()
    .meta({ description: 'Its number; null: such have none.', examples: ['INV-00007'] }),
  status: z
    .string()
    .nullable()
    .meta({ description: 'Its state; null: such have none.', examples: ['draft'] }),
  about: z
    .string()
    .nullable()
    .meta({ description: 'Of what is known by its number: its title; null: such have none.', examples: ['Desks'] }),
})

export const Group = z
  .object({
    module: z.string().meta({ description: 'Key of the module.', examples: ['fleet'] }),
    resource: z.string().meta({ description: 'Kind of record, as `x-resource` has it.', examples: ['vendor'] }),
    path: z.string().meta({ description: 'Path of the list below the address of the API.', examples: ['/vendors'] }),
    title: z.string().meta({ description: 'Title of the module.', examples: ['Vendors'] }),
    hits: z.array(Hit).describe('The newest matches, at most five.'),
    has_more: z.boolean().describe('Whether there are more: the list with `search` has them.'),
  })
  .meta({ id: 'SearchGroup' })

interface Place {
  module: Module
  path: string
  allow: readonly string[]
  list: Listing
}

const kept = new WeakMap<Modules, Promise<Place[]>>()

/** Returns the lists with a search index, in navigation order. */
async function placesOf(modules: Modules): Promise<Place[]> {
  const base = basePaths.workspace
  const places = (await modules.routes()).flatMap(({ module, route, path }) => {
    const list = route.method === 'GET' && route.spec.page && route.spec.query && listingOf(route.spec.query)
    if (!list?.find || !path.startsWith(`${base}/`) || path.includes(':')) return []
    return [{ module, path: path.slice(base.length), allow: [route.spec.allow].flat() as string[], list }]
  })
  return places.toSorted((a, b) => (a.module.position ?? Infinity) - (b.module.position ?? Infinity))
}

/** Returns matches of every type that the caller may see; types without a match are omitted. */
export async function searchAll(ctx: Ctx, term: string): Promise<z.input<typeof Group>[]> {
  const { modules } = ctx.services
  const places = await kept.getOrInsertComputed(modules, placesOf)
  const installed = new Set([...modules.workspace.keys()].filter(ctx.entitled))
  const open = places.filter(
    ({ module, allow }) => missingModule(module, installed) === undefined && allow.some((one) => ctx.can(one as Permission)),
  )
  const found = await allPipelined(...open.map(({ list }) => list.find!(ctx, term, HITS + 1)))
  return open.flatMap(({ module, path, list }, n) => {
    const hits = found[n]!
    if (!hits.length) return []
    return [
      {
        ...{ module: module.key, resource: singular(list.of.table), path, title: module.title },
        ...{ hits: hits.slice(0, HITS), has_more: hits.length > HITS },
      },
    ]
  })
}
