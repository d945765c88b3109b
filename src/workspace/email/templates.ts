/** Templates of e-mails: the actor's own, shared ones, and for the workspace's owner all (EML-33 … EML-36). */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { workspace } from '#kernel/http/route.ts'
import { checkIfMatch } from '#kernel/http/validators.ts'
import { actorRef } from '#kernel/records/embed.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { changesOf, hardStamps, optionalText, queryFlag, text } from '#kernel/values/fields.ts'
import { cleanHtml, withCleanHtml } from './messages/sanitising.ts'
import { cleanText } from './messages/structure.ts'

const MAX_VARIABLES = 100
const VARIABLE = /^[A-Za-z_][\w.]{0,99}$/

const CreateTemplate = z.object({
  name: text(255),
  category: optionalText(100).meta({
    description: 'Free word by which templates are grouped; null: none.',
    examples: ['Offers'],
  }),
  subject: text(998).meta({ description: 'Subject line, with placeholders as `{{name}}`.', examples: ['Offer for {{name}}'] }),
  body_html: z
    .string()
    .min(1, 'Must not be empty.')
    .max(500_000, 'Must be at most 500000 characters.')
    .meta({ format: 'html' })
    .meta({ description: 'Text as HTML, with placeholders as `{{name}}`.', examples: ['<p>Dear {{name}},</p>'] }),
  variables: z
    .array(z.string().max(100).regex(VARIABLE, 'Must be the name of a placeholder: letters, digits, _ and dots.'))
    .max(MAX_VARIABLES, `Must name at most ${MAX_VARIABLES} placeholders.`)
    .default([])
    .meta({ description: 'Names of the placeholders that it has.', examples: [['name']] }),
  is_active: z.boolean().default(true),
  is_shared: z.boolean().default(true).describe('Whether all users of the workspace may use it; false: only whoever made it.'), // EML-32
})

/** Editable by its creator and by the workspace's owner (EML-36). */
const isEditable = (ctx: Ctx, table = 'email_templates') =>
  ctx.actor.isOwner ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(`${table}.user_id`)} = ${ctx.actor.id}`

const editable = () =>
  computed(z.boolean(), ({ ctx, table }) => (ctx.can('email.templates.manage') ? isEditable(ctx, table) : sql`false`))

/** A template in replies (EML-31). */
const Template = view('email_templates', 'EmailTemplate', {
  uuid: z.string(),
  name: z.string(),
  category: z.string().nullable(),
  subject: z.string(),
  body_html: z
    .string()
    .meta({ format: 'html' })
    .meta({ description: 'Text as HTML, with placeholders as `{{name}}`.', examples: ['<p>Dear {{name}},</p>'] }),
  variables: z.array(z.string()).meta({ description: 'Names of the placeholders that it has.', examples: [['name']] }),
  is_active: z.boolean(),
  is_shared: z.boolean(),
  user: actorRef('user_id'),
  can_edit: editable().describe('Whether the caller may change it.'),
  can_delete: editable().describe('Whether the caller may delete it.'),
  ...hardStamps,
})

type TemplateRow = Row<'email_templates'>

const ownOrShared = (ctx: Ctx) => sql<SqlBool>`(email_templates.user_id = ${ctx.actor.id} or email_templates.is_shared)`

const templates = lookupTable({
  table: 'email_templates',
  noun: 'template',
  item: Template,
  key: 'uuid',
  scope: (ctx) => (ctx.actor.isOwner ? undefined : ownOrShared(ctx)),
})

const templateList = listing(templates, {
  search: ['name', 'category', 'subject'],
  filters: {
    /** Templates that the actor may use: for the owner, without the private ones of others (EML-34). */
    for_compose: filterOf({
      schema: queryFlag(),
      where: (ctx: Ctx, value) => (value ? sql`email_templates.is_active and ${ownOrShared(ctx)}` : undefined),
    }),
    category: filterOf({ schema: z.string().max(100), where: (_, value, column) => sql`${column('category')} = ${value}` }),
    is_active: filter.flag('is_active'),
    is_shared: filter.flag('is_shared'),
  },
  hardDeleted: true,
})

/** 403 for templates of other users. */
const findEditable = async (ctx: Ctx, uuid: string) => mustBeEditable(ctx, await templates.find(ctx, uuid))

/** Locks a template to change or delete it; 403 for templates of other users. */
const lockEditable = async (ctx: Ctx, uuid: string) => mustBeEditable(ctx, await templates.lock(ctx, uuid))

function mustBeEditable(ctx: Ctx, template: TemplateRow): TemplateRow {
  if (!mayEdit(ctx, template)) throw forbidden('A template is changed by its creator and by the owner of the workspace.')
  return template
}

const mayEdit = (ctx: Pick<Ctx, 'actor'>, { user_id }: TemplateRow) => ctx.actor.isOwner || user_id === ctx.actor.id

// Filling in a template (EML-37).

const MAX = 200

const RenderBody = z.object({
  variables: z
    .record(
      z.string().max(100).regex(VARIABLE, 'Must be the name of a placeholder.'),
      z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()], 'Must be a text, a number, true, false or null.'),
    )
    .refine((given) => Object.keys(given).length <= MAX, `Must fill in at most ${MAX} placeholders.`)
    .default({})
    .meta({ description: 'What to put in place of the placeholders, by their names.', examples: [{ name: 'Ann' }] }),
})

const Rendered = z
  .object({
    subject: z.string().meta({ description: 'Subject line with everything filled in.', examples: ['Offer for Ann'] }),
    body_html: z
      .string()
      .meta({ format: 'html', description: 'Text with everything filled in.', examples: ['<p>Dear Ann,</p>'] }),
  })
  .meta({ id: 'RenderedEmailTemplate' })

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.]{0,99})\s*\}\}/g
const MAX_SUBJECT = 998
const MAX_RENDERED = 1_000_000

/**
 * Replaces each placeholder once; values are not searched for placeholders. Values are escaped as text in HTML, and the addresses
 * that they become part of are sanitised afterwards. A placeholder without a value stays. 403 for an inactive template that the
 * actor can't change (EML-38). 422 on `variables` if the message exceeds a million characters.
 */
async function renderTemplate(
  steps: WorkspaceSteps,
  template: TemplateRow,
  { variables }: z.output<typeof RenderBody>,
): Promise<z.input<typeof Rendered>> {
  if (!template.is_active && !(steps.can('email.templates.manage') && mayEdit(steps, template)))
    throw forbidden('The template is not active.')
  const texts = new Map(Object.entries(variables).map(([name, value]) => [name, String(value ?? '')]))
  const inHtml = new Map([...texts].map(([name, value]) => [name, escapeHtml(value)]))
  const subject = filled(template.subject, texts, MAX_RENDERED)
  const body_html = filled(template.body_html, inHtml, MAX_RENDERED)
  return { subject: cleanText(subject, MAX_SUBJECT), body_html: await cleanHtml(steps, 'variables', body_html, 'load') }
}

/**
 * Returns a text with its values. Its length is computed before it is built: few placeholders with a long value could exceed the
 * memory.
 */
function filled(text: string, values: Map<string, string>, most: number): string {
  let { length } = text
  return text.replace(PLACEHOLDER, (placeholder: string, name: string) => {
    const value = values.get(name) ?? placeholder
    length += value.length - placeholder.length
    if (length > most) throw invalid({ variables: `The message becomes longer than ${most} characters.` })
    return value
  })
}

const { get, del, multiTransaction } = workspace
const allow = 'email.view'
const manage = 'email.templates.manage'

const stored = ({ variables, ...rest }: { variables?: string[] }) => ({
  ...rest,
  ...(variables ? { variables: JSON.stringify(variables) } : {}),
})

export const templateRoutes = [
  get('/templates', { allow, query: templateList.query, page: Template }, (ctx, { query }) => templateList.page(ctx, query)),
  multiTransaction.post(
    '/templates',
    { allow: manage, grants: false, body: CreateTemplate, reply: Template, status: 201, message: 'Template created.' },
    async (steps, { body }) => {
      const clean = await withCleanHtml(steps, body, 'load')
      return steps.finish(async (ctx) => {
        const { uuid } = await templates.insert(ctx, { ...stored(clean), user_id: ctx.actor.id! } as never)
        return templates.show(ctx, uuid)
      })
    },
  ),
  get('/templates/:uuid', { allow, reply: Template }, (ctx, { uuid }) => templates.show(ctx, uuid)),
  multiTransaction.put(
    '/templates/:uuid',
    {
      allow: manage,
      grants: false,
      record: findEditable,
      body: changesOf(CreateTemplate),
      reply: Template,
      message: 'Template saved.',
    },
    async (steps, { uuid, body, headers }) => {
      const clean = await withCleanHtml(steps, body, 'load')
      return steps.finish(async (ctx) => {
        const template = await lockEditable(ctx, uuid)
        checkIfMatch(headers['if-match'], template)
        await templates.save(ctx, template, clean)
        return templates.show(ctx, uuid)
      })
    },
  ),
  del(
    '/templates/:uuid',
    { allow: manage, grants: false, record: lockEditable, message: 'Template deleted.' },
    (ctx, { record }) => templates.remove(ctx, record),
  ),
  multiTransaction.post(
    '/templates/:uuid/render',
    {
      allow,
      grants: false,
      body: RenderBody,
      record: templates.find,
      reply: Rendered,
      description: 'Fills the placeholders of a template in and answers subject and text. Nothing is sent.',
    },
    (steps, { record, body }) => renderTemplate(steps, record, body),
  ),
]
