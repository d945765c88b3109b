import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { userRef } from '#kernel/records/embed.ts'
import { computed, view } from '#kernel/records/view.ts'
import { hardStamps, optionalText, text } from '#kernel/values/fields.ts'

const MAX_VARIABLES = 100
export const VARIABLE = /^[A-Za-z_][\w.]{0,99}$/

export const CreateTemplate = z.object({
  name: text(255),
  category: optionalText(100),
  subject: text(998),
  body_html: z.string().min(1, 'Must not be empty.').max(500_000, 'Must be at most 500000 characters.').meta({ format: 'html' }),
  variables: z
    .array(z.string().max(100).regex(VARIABLE, 'Must be the name of a placeholder: letters, digits, _ and dots.'))
    .max(MAX_VARIABLES, `Must name at most ${MAX_VARIABLES} placeholders.`)
    .default([]),
  is_active: z.boolean().default(true),
  is_shared: z.boolean().default(true), // EML-32
})

/** By its creator, or by the owner of the workspace (EML-36). */
const isEditable = (ctx: Ctx, table = 'email_templates') =>
  ctx.actor.isOwner ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(`${table}.user_id`)} = ${ctx.actor.id}`

const editable = () =>
  computed(z.boolean(), ({ ctx, table }) => (ctx.can('email.templates.manage') ? isEditable(ctx, table) : sql`false`))

/** EML-31 */
export const Template = view('email_templates', 'EmailTemplate', {
  uuid: z.string(),
  name: z.string(),
  category: z.string().nullable(),
  subject: z.string(),
  body_html: z.string().meta({ format: 'html' }),
  variables: z.array(z.string()),
  is_active: z.boolean(),
  is_shared: z.boolean(),
  user: userRef('user_id'),
  can_edit: editable(),
  can_delete: editable(),
  ...hardStamps,
})
