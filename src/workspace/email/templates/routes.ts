import { workspace } from '#kernel/http/route.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { RenderBody, Rendered, renderTemplate } from './rendering.ts'
import { CreateTemplate, Template } from './schema.ts'
import { lockEditable, templateList, templates } from './templates.ts'

const { get, post, put, del } = workspace
const view = 'email.view'
const manage = 'email.templates.manage'

const stored = ({ variables, ...rest }: { variables?: string[] }) => ({
  ...rest,
  ...(variables ? { variables: JSON.stringify(variables) } : {}),
})

export const templateRoutes = [
  get('/templates', { allow: view, query: templateList.query, page: Template }, (ctx, { query }) =>
    templateList.page(ctx, query),
  ),
  post(
    '/templates',
    { allow: manage, body: CreateTemplate, reply: Template, status: 201, message: 'Template created.' },
    async (ctx, { body }) =>
      templates.show(ctx, (await templates.insert(ctx, { ...stored(body), user_id: ctx.actor.id! } as never)).uuid),
  ),
  get('/templates/:uuid', { allow: view, reply: Template }, (ctx, { uuid }) => templates.show(ctx, uuid)),
  put(
    '/templates/:uuid',
    { allow: manage, record: lockEditable, body: changesOf(CreateTemplate), reply: Template, message: 'Template saved.' },
    async (ctx, { uuid, record, body }) => {
      await templates.save(ctx, record, body)
      return templates.show(ctx, uuid)
    },
  ),
  del('/templates/:uuid', { allow: manage, record: lockEditable, message: 'Template deleted.' }, (ctx, { record }) =>
    templates.remove(ctx, record),
  ),
  post(
    '/templates/:uuid/render',
    { allow: view, body: RenderBody, record: templates.find, reply: Rendered },
    (ctx, { record, body }) => renderTemplate(ctx, record, body),
  ),
]
