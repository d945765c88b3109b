/** Filling in a template (EML-37). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { escapeHtml } from '#kernel/http/page.ts'
import { htmlWithImages } from '../messages/display.ts'
import { cleanText } from '../messages/structure.ts'
import { VARIABLE } from './schema.ts'
import { mayEdit, type TemplateRow } from './templates.ts'

const MOST = 200

export const RenderBody = z.object({
  variables: z
    .record(
      z.string().max(100).regex(VARIABLE, 'Must be the name of a placeholder.'),
      z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()], 'Must be a text, a number, true, false or null.'),
    )
    .refine((given) => Object.keys(given).length <= MOST, `Must fill in at most ${MOST} placeholders.`)
    .default({}),
})

export const Rendered = z
  .object({ subject: z.string(), body_html: z.string().meta({ format: 'html' }) })
  .meta({ id: 'RenderedEmailTemplate' })

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.]{0,99})\s*\}\}/g
const MOST_RENDERED = 1_000_000

/**
 * Each placeholder once: what a value holds is not looked at again. Values are text in HTML, and what they make of an address is sanitised
 * behind them. A placeholder without a value stays. 403 for an inactive template that the actor can't change (EML-38).
 */
export function renderTemplate(
  ctx: Ctx,
  template: TemplateRow,
  { variables }: z.output<typeof RenderBody>,
): z.input<typeof Rendered> {
  if (!template.is_active && !(ctx.can('email.templates.manage') && mayEdit(ctx, template)))
    throw forbidden('The template is not active.')
  const fill = (text: string, written: (value: string) => string) =>
    text.replace(PLACEHOLDER, (placeholder, name: string) =>
      Object.hasOwn(variables, name) ? written(String(variables[name] ?? '')) : placeholder,
    )
  const body = fill(template.body_html, escapeHtml)
  if (body.length > MOST_RENDERED) throw invalid({ variables: 'The message becomes too long.' })
  return { subject: cleanText(fill(template.subject, String), 998), body_html: htmlWithImages(body) }
}
