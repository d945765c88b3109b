import type { Ctx } from '#kernel/context.ts'
import { actorName, type Digest, kind } from '#kernel/modules/notifications.ts'

const assigned = (ctx: Ctx, batch_id: string | null): Digest => ({
  title: 'Leads assigned to you',
  body: (count) => `${actorName(ctx)} assigned you ${count} leads.`,
  filters: { assigned: 'me', ...(batch_id === null ? {} : { batch_id }) },
})

export default [
  kind('lead.assigned', {
    subject: 'lead',
    title: 'You are given leads',
    unmailed: true, // NTF-30
    digest: assigned,
    // Deduplicated by time: a lead may be assigned to the same user again (NTF-32).
    news: (ctx, { user_id, lead_ids, source, batch_id }) => ({
      ...{ ids: lead_ids, users: [user_id], source, batch_id },
      title: 'Lead assigned to you',
      body: (name) => `${actorName(ctx)} assigned you the lead ${name}.`,
      digest: assigned(ctx, batch_id),
    }),
  }),
  kind('lead.duplicate_detected', {
    subject: 'lead',
    title: 'An import finds leads of yours again',
    news: (_, { user_id, lead_ids, source, batch_id }) => ({
      ...{ ids: lead_ids, users: [user_id], alsoActor: true, source, batch_id, occasion: batch_id },
      title: 'Duplicate of a lead',
      body: (name) => `An import has brought ${name} again, who became a lead on the same day.`,
      digest: {
        title: 'Duplicates of leads',
        body: (count) => `An import has brought ${count} leads again that were made on the same day.`,
        filters: {},
      },
    }),
  }),
  kind('lead.imported', {
    subject: 'lead',
    title: 'Your import has ended',
    news: (_, { user_id, lead_id, import_uuid, status, file_name, counts }) => {
      const { imported, updated, skipped, failed } = counts
      const figures = `${imported} added, ${updated} updated, ${skipped} skipped, ${failed} failed`
      const title = status === 'completed' ? 'Import completed' : 'Import failed'
      const body = () =>
        status === 'completed' ? `Imported ${file_name}: ${figures}.` : `Could not import all of ${file_name}: ${figures}.`
      return {
        ...{ ids: lead_id === null ? [] : [lead_id], users: [user_id], alsoActor: true, source: 'import', title, body },
        ...{ batch_id: import_uuid, occasion: import_uuid, metadata: { status, ...counts } },
        digest: { title, body, count: imported + updated, filters: { batch_id: import_uuid } },
      }
    },
  }),
]
