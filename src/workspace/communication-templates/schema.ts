import { z } from 'zod'
import { userRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { choice, id, instant, optionalText, stamps, text } from '#kernel/values/fields.ts'
import { CONTEXTS } from './contexts.ts'

/** TPL-04 */
export const CHANNELS = ['chat_app'] as const

export const CreateTemplate = z.object({
  name: text(120),
  context: choice(CONTEXTS),
  channel: choice(CHANNELS),
  category: optionalText(80),
  body: text(4000),
  is_active: z.boolean('Must be true or false.').default(true),
})

export const Template = view('communication_templates', 'CommunicationTemplate', {
  uuid: z.uuid(),
  name: z.string(),
  context: choice(CONTEXTS),
  channel: choice(CHANNELS),
  category: z.string().nullable(),
  body: z.string(),
  is_active: z.boolean(),
  last_used_at: instant().nullable(),
  creator: userRef('created_by'),
  ...stamps,
})

export const Context = z.object({ context: choice(CONTEXTS), label: z.string() }).meta({ id: 'CommunicationContext' })

export const PreviewBody = z.object({ entity_id: id().nullish() })
export const RenderBody = z.object({ entity_id: id() })

/** TPL-10 */
export const Placeholder = z
  .object({ key: z.string(), label: z.string(), group: z.string(), description: z.string(), sample: z.string() })
  .meta({ id: 'Placeholder' })
export type Placeholder = z.infer<typeof Placeholder>

/** TPL-18 */
export const Preview = z
  .object({ body: z.string(), channel: choice(CHANNELS), missing_placeholders: z.array(z.string()) })
  .meta({ id: 'CommunicationPreview' })

/** TPL-20 */
export const Rendered = z
  .object({ ...Preview.shape, phone: z.string(), chat_link_url: z.string() })
  .meta({ id: 'RenderedCommunication' })
