import { z } from 'zod'
import { recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { choice } from '#kernel/values/fields.ts'
import { CONTEXTS, contextOf } from './contexts.ts'
import { placeholdersOf } from './placeholders.ts'
import { preview, render } from './rendering.ts'
import { Context, CreateTemplate, Placeholder, Preview, PreviewBody, RenderBody, Rendered } from './schema.ts'
import { ChangeTemplate, createTemplate, templateList, templates, updateTemplate } from './templates.ts'

const { get, post } = workspace
const allow = 'communication-templates.view'

export default [
  get(
    '/meta/contexts',
    { allow, description: 'Answers all kinds of record that a template can be about.', reply: z.array(Context) },
    () => CONTEXTS.map((context) => ({ context, label: contextOf(context).label })),
  ),
  get(
    '/meta/placeholders',
    {
      allow,
      query: z.object({ context: choice(CONTEXTS).describe('What the template is written about.') }),
      description: 'Answers all placeholders that a template of a context may use, with a sample of each.',
      reply: z.array(Placeholder),
    },
    (_, { query }) => placeholdersOf(query.context),
  ),
  ...recordRoutes(templates, {
    list: templateList,
    body: CreateTemplate,
    changes: ChangeTemplate,
    create: createTemplate,
    update: updateTemplate,
  }),
  post(
    '/:uuid/preview',
    {
      allow: ['communication-templates.view', 'communication-templates.use'],
      grants: false,
      record: templates.find,
      body: PreviewBody,
      reply: Preview,
      message: 'This is what it will say.',
      description: 'Fills the template in, with samples or with the record of `entity_id`. Nothing is counted as used.',
    },
    (ctx, { record, body }) => preview(ctx, record, body.entity_id),
  ),
  post(
    '/:uuid/render',
    {
      allow: 'communication-templates.use',
      grants: false,
      record: templates.lock,
      body: RenderBody,
      reply: Rendered,
      message: 'Ready to be sent.',
      description:
        'Fills the template in for a record and answers the text with a link that opens it in the chat app. The service itself sends nothing.',
    },
    (ctx, { record, body }) => render(ctx, record, body.entity_id),
  ),
]
