/** Links of documents to leads, contacts, companies, projects, employees, assets and tasks (DOC-39). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { type Subject, subjectOf } from '#kernel/modules/subjects.ts'
import type { SubjectType } from '#kernel/names.ts'
import { joinById } from '#kernel/records/embed.ts'
import { filterOf } from '#kernel/records/listing.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { computed } from '#kernel/records/view.ts'
import { choice, queryId, ref } from '#kernel/values/fields.ts'

/** Types of records that documents can be linked to. */
export const linkTypes = [
  'lead',
  'contact',
  'company',
  'project',
  'employee',
  'asset',
  'task',
] as const satisfies readonly SubjectType[]
type LinkType = (typeof linkTypes)[number]

const MAX_OF_A_TYPE = 100
const idsOf = (type: LinkType) => z.array(ref(type)).max(MAX_OF_A_TYPE, `Must be at most ${MAX_OF_A_TYPE} ids.`).optional()

/** Input: for each type the ids of all its links (DOC-08). */
export const linkFields = {
  lead_ids: idsOf('lead'),
  contact_ids: idsOf('contact'),
  company_ids: idsOf('company'),
  project_ids: idsOf('project'),
  employee_ids: idsOf('employee'),
  asset_ids: idsOf('asset'),
  task_ids: idsOf('task'),
} satisfies Record<`${LinkType}_ids`, z.core.$ZodType>
const SentLinks = z.object(linkFields)
type SentLinks = z.output<typeof SentLinks>

const Link = z
  .object({ type: choice(linkTypes).describe('The kind of record that is linked.'), id: z.int(), label: z.string() })
  .meta({ id: 'DocumentLink' })

/** Returns the installed types of which the actor may view any records. */
function seen(ctx: Ctx): { type: LinkType; subject: Subject }[] {
  return linkTypes.flatMap((type) => {
    const subject = subjectOf(ctx, type)
    return subject?.entitled(ctx) && subject.viewable(ctx) ? [{ type, subject }] : []
  })
}

/** `?lead_id=7`: documents linked to that record, if the caller may see it. */
const linkedTo = (type: LinkType) =>
  filterOf<ReturnType<typeof queryId>, never>({
    schema: queryId().describe(`Only documents that are linked to this ${type}.`),
    where: (ctx: Ctx, id, column) => {
      const subject = seen(ctx).find((one) => one.type === type)?.subject
      if (!subject) return sql`false`
      const row = sql.id(type)
      return sql`${column('id')} in (
        select link.document_id from document_links link join ${sql.table(subject.table)} ${row}
          on ${row}.tenant_id = link.tenant_id and ${row}.id = link.subject_id and ${row}.deleted_at is null
        where link.tenant_id = ${ctx.tenant.id} and link.type = ${type} and link.subject_id = ${id} and ${subject.visible(ctx, type) ?? sql`true`})`
    },
  })

/** Filters of lists: documents linked to a record. */
export const linkFilters = {
  lead_id: linkedTo('lead'),
  contact_id: linkedTo('contact'),
  company_id: linkedTo('company'),
  project_id: linkedTo('project'),
  employee_id: linkedTo('employee'),
  asset_id: linkedTo('asset'),
  task_id: linkedTo('task'),
} satisfies Record<`${LinkType}_id`, unknown>

/** DOC-09: `[{type, id, label}]`. Records that the reader may not see, or that are deleted, are omitted. */
export const links = computed(
  z.array(Link).describe('The records that it is linked to, as far as the caller may see them.'),
  ({ ctx, table }) => {
    const shown = seen(ctx as Ctx)
    if (!shown.length) return sql`'[]'::json`
    const joins = shown.map(({ type, subject }) => {
      const visible = subject.visible(ctx as Ctx, type) ?? sql`true`
      const linked = sql`link.type = ${type} and ${sql.ref(`${type}.deleted_at`)} is null and ${visible}`
      return joinById(ctx as Ctx, subject.table, type, 'link.subject_id', linked)
    })
    const label = sql`coalesce(${sql.join(shown.map(({ type, subject }) => sql.ref(`${type}.${subject.title}`)))})`
    return sql`(
    select coalesce(json_agg(json_build_object('type', link.type, 'id', link.subject_id, 'label', ${label}) order by link.type, link.subject_id), '[]')
    from document_links link ${sql.join(joins, sql` `)}
    where link.tenant_id = ${ctx.tenant.id} and link.document_id = ${sql.ref(`${table}.id`)} and ${label} is not null)`
  },
)

/** Returns the sent links as rows; 422 on ids that don't exist or that the actor may not link. */
export async function linksFrom(ctx: Ctx, sent: SentLinks) {
  await checkReferences(ctx, SentLinks, sent)
  return linkTypes.flatMap((type) => [...new Set(sent[`${type}_ids`])].map((subject_id) => ({ type, subject_id })))
}

/**
 * Replaces the document's links of the sent types, as far as the actor sees the records: other links stay (DOC-15). Returns the
 * changed fields.
 */
export async function replaceLinks(ctx: Ctx, documentId: number, sent: SentLinks): Promise<string[]> {
  const rows = await linksFrom(ctx, sent)
  const dropped = seen(ctx).flatMap(({ type, subject }) => {
    const ids = sent[`${type}_ids`]
    const visible = subject.visible(ctx, type) ?? sql`true`
    const sees = sql`exists (
      select from ${sql.table(subject.table)} ${sql.id(type)}
      where ${sql.ref(`${type}.tenant_id`)} = ${ctx.tenant.id} and ${sql.ref(`${type}.id`)} = link.subject_id and ${visible})`
    return ids ? [sql`link.type = ${type} and link.subject_id <> all(${ids}::bigint[]) and ${sees}`] : []
  })
  if (!dropped.length) return []
  const gone = await sql<{ type: LinkType }>`
    delete from document_links link
    where link.tenant_id = ${ctx.tenant.id} and link.document_id = ${documentId} and (${sql.join(dropped, sql` or `)})
    returning link.type`.execute(ctx.tx)
  const added = rows.length
    ? await ctx.tx
        .insertInto('document_links')
        .values(rows.map((row) => ({ ...row, tenant_id: ctx.tenant.id, document_id: documentId })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('type')
        .execute()
    : []
  return [...new Set([...gone.rows, ...added].map(({ type }) => `${type}_ids`))]
}
