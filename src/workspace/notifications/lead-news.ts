/** Leads that users are given, or find again: one at a time, or as one digest for all that came together (NTF-34 … NTF-36). */
import type { Ctx } from '#kernel/context.ts'
import type { Events } from '#kernel/modules/events.ts'
import { namesSeen, type Viewer } from './audience.ts'
import { MAX_SAMPLES } from './envelope.ts'
import { doer } from './news.ts'
import { type Draft, notify } from './notify.ts'

/** What is told of one lead, and of many. */
interface Said {
  type: 'lead.assigned' | 'lead.duplicate_detected'
  title: [one: string, many: string]
  body: [one: (name: string) => string, many: (count: number) => string]
  source: Draft['source']
  batch_id: string | null
  /** By which a client lists them. */
  filters: Record<string, string>
  /** Of a single one; a digest's names its batch. */
  key: (leadId: number) => string
}

/** A digest unless there is just one that the user may see. */
const oneOrDigest =
  (ctx: Ctx, said: Said, ids: number[]) =>
  async (viewer: Viewer): Promise<Draft | undefined> => {
    const { type, source, batch_id } = said
    const seen = await namesSeen(viewer, 'lead', ids)
    const [first] = seen
    if (!first) return undefined
    const batch = batch_id === null ? {} : { batch_id }
    if (seen.size === 1) {
      const [id, name] = first
      return {
        ...{ type, source, title: said.title[0], body: said.body[0](name), entity_type: 'lead', entity_id: id, ...batch },
        route: { resource: 'lead', action: 'show', entity_id: id },
        dedupe_key: said.key(id),
      }
    }
    return {
      ...{ type, isDigest: true, source, title: said.title[1], body: said.body[1](seen.size), entity_type: 'lead', ...batch },
      ...{ count: seen.size, sample_entity_ids: [...seen.keys()].slice(0, MAX_SAMPLES) },
      route: { resource: 'lead', action: 'list', entity_id: null, filters: said.filters },
      dedupe_key: `${type}.digest:${batch_id ?? ctx.now}:${viewer.id}`,
    }
  }

/** The keys of single ones name the moment: a lead may be given to the same user again (NTF-32). */
export function notifyAssigned(ctx: Ctx, { user_id, lead_ids, source, batch_id }: Events['lead.assigned']) {
  if (user_id === ctx.actor.id) return undefined
  const who = doer(ctx)
  const said: Said = {
    type: 'lead.assigned',
    title: ['Lead assigned to you', 'Leads assigned to you'],
    body: [(name) => `${who} assigned you the lead ${name}.`, (count) => `${who} assigned you ${count} leads.`],
    filters: { assigned: 'me', ...(batch_id === null ? {} : { batch_id }) },
    ...{ source, batch_id, key: (leadId) => `lead.assigned:${leadId}:${user_id}:${ctx.now}` },
  }
  return notify(ctx, [user_id], oneOrDigest(ctx, said, lead_ids))
}

/** Whoever ran the import is told too: it is news to them. */
export function notifyDuplicates(ctx: Ctx, { user_id, lead_ids, source, batch_id }: Events['lead.duplicate_detected']) {
  const said: Said = {
    type: 'lead.duplicate_detected',
    title: ['Duplicate of a lead', 'Duplicates of leads'],
    body: [
      (name) => `An import has brought ${name} again, who became a lead on the same day.`,
      (count) => `An import has brought ${count} leads again that were made on the same day.`,
    ],
    ...{ source, batch_id, filters: {}, key: (leadId) => `lead.duplicate_detected:${leadId}:${batch_id}:${user_id}` },
  }
  return notify(ctx, [user_id], oneOrDigest(ctx, said, lead_ids))
}

/** What became of an import, for whoever ran it: a digest, unless it brought just one lead. */
export function notifyImported(ctx: Ctx, event: Events['lead.imported']) {
  const { user_id, lead_id, import_uuid, status, file_name, counts } = event
  const { imported, updated, skipped, failed } = counts
  const figures = `${imported} added, ${updated} updated, ${skipped} skipped, ${failed} failed`
  return notify(ctx, [user_id], async (viewer): Promise<Draft> => {
    const said = {
      ...({ type: 'lead.imported', source: 'import', entity_type: 'lead', batch_id: import_uuid } as const),
      title: status === 'completed' ? 'Import completed' : 'Import failed',
      body: `${status === 'completed' ? 'Imported' : 'Could not import all of'} ${file_name}: ${figures}.`,
      metadata: { status, ...counts },
    }
    if (lead_id !== null && (await namesSeen(viewer, 'lead', [lead_id])).size)
      return {
        ...{ ...said, entity_id: lead_id, dedupe_key: `lead.imported:${import_uuid}:${viewer.id}` },
        route: { resource: 'lead', action: 'show', entity_id: lead_id },
      }
    return {
      ...{ ...said, isDigest: true, count: imported + updated, dedupe_key: `lead.imported.digest:${import_uuid}:${viewer.id}` },
      route: { resource: 'lead', action: 'list', entity_id: null, filters: { batch_id: import_uuid } },
    }
  })
}
