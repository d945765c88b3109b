import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { choice, id, instant, optionalText, stamps, text } from '#kernel/values/fields.ts'
import { CONTEXTS } from './contexts.ts'

/** TPL-04 */
export const CHANNELS = ['chat_app'] as const

export const CreateTemplate = z.object({
  name: text(120),
  context: choice(CONTEXTS).describe('The kind of record that the template is about. It decides which placeholders there are.'),
  channel: choice(CHANNELS).describe('How the text is meant to be sent.'),
  category: optionalText(80),
  body: text(4000).meta({
    description: 'The text, with placeholders as `{{lead.name}}`. Unknown ones are a 422.',
    examples: ['Hello {{lead.name}}, shall we talk this week?'],
  }),
  is_active: z.boolean('Must be true or false.').default(true),
})

export const Template = view('communication_templates', 'CommunicationTemplate', {
  uuid: z.uuid(),
  name: z.string(),
  context: choice(CONTEXTS),
  channel: choice(CHANNELS),
  category: z
    .string()
    .nullable()
    .meta({ description: 'Free word by which templates are grouped; null: none.', examples: ['Reminders'] }),
  body: z.string(),
  is_active: z.boolean(),
  last_used_at: instant().nullable().describe('When it was last rendered for a record; null: never.'),
  creator: actorRef('created_by'),
  ...stamps,
})

export const Context = z.object({ context: choice(CONTEXTS), label: z.string() }).meta({ id: 'CommunicationContext' })

export const PreviewBody = z.object({
  entity_id: id()
    .nullish()
    .describe('Id of a record of the template’s context, one that the caller may see. Unless sent: samples.'),
})
export const RenderBody = z.object({ entity_id: id() })

/** TPL-10 */
export const Placeholder = z
  .object({
    key: z.string().meta({ description: 'What stands between the braces.', examples: ['lead.name'] }),
    label: z.string(),
    group: z.string(),
    description: z.string(),
    sample: z.string().meta({ description: 'What a preview shows in its place.', examples: ['Ann Ash'] }),
  })
  .meta({ id: 'Placeholder' })
export type Placeholder = z.infer<typeof Placeholder>

/** TPL-18 */
export const Preview = z
  .object({
    body: z.string(),
    channel: choice(CHANNELS),
    missing_placeholders: z
      .array(z.string())
      .meta({ description: 'Placeholders for which the record has no value.', examples: [['lead.company']] }),
  })
  .meta({ id: 'CommunicationPreview' })

/** TPL-20 */
export const Rendered = z
  .object({ ...Preview.shape, phone: z.string(), chat_link_url: z.string() })
  .meta({ id: 'RenderedCommunication' })
