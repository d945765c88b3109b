/** Filling in a template (EML-37). */
import { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { cleanHtml } from '../messages/sanitising.ts'
import { cleanText } from '../messages/structure.ts'
import { VARIABLE } from './schema.ts'
import { mayEdit, type TemplateRow } from './templates.ts'

const MAX = 200

export const RenderBody = z.object({
  variables: z
    .record(
      z.string().max(100).regex(VARIABLE, 'Must be the name of a placeholder.'),
      z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()], 'Must be a text, a number, true, false or null.'),
    )
    .refine((given) => Object.keys(given).length <= MAX, `Must fill in at most ${MAX} placeholders.`)
    .default({}),
})

export const Rendered = z
  .object({ subject: z.string(), body_html: z.string().meta({ format: 'html' }) })
  .meta({ id: 'RenderedEmailTemplate' })

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.]{0,99})\s*\}\}/g
const MAX_SUBJECT = 998
const MAX_RENDERED = 1_000_000

/**
 * Each placeholder once: what a value holds is not looked at again. Values are text in HTML, and what they make of an address is sanitised
 * behind them. A placeholder without a value stays. 403 for an inactive template that the actor can't change (EML-38), 422 on `variables`
 * where the message becomes longer than a million characters.
 */
export async function renderTemplate(
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

/** A text with its values. Its length is counted before it is put together: few placeholders with a long value are more than memory holds. */
function filled(text: string, values: Map<string, string>, most: number): string {
  let { length } = text
  return text.replace(PLACEHOLDER, (placeholder: string, name: string) => {
    const value = values.get(name) ?? placeholder
    length += value.length - placeholder.length
    if (length > most) throw invalid({ variables: `The message becomes longer than ${most} characters.` })
    return value
  })
}
