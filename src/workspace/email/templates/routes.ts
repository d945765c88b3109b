import { checkIfMatch } from '#kernel/http/if-match.ts'
import { workspace } from '#kernel/http/route.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { withCleanHtml } from '../messages/sanitising.ts'
import { RenderBody, Rendered, renderTemplate } from './rendering.ts'
import { CreateTemplate, Template } from './schema.ts'
import { findEditable, lockEditable, templateList, templates } from './templates.ts'

const { get, del, multiTransaction } = workspace
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
  multiTransaction.post(
    '/templates',
    { allow: manage, body: CreateTemplate, reply: Template, status: 201, message: 'Template created.' },
    async (steps, { body }) => {
      const clean = await withCleanHtml(steps, body, 'load')
      return steps.finish(async (ctx) => {
        const { uuid } = await templates.insert(ctx, { ...stored(clean), user_id: ctx.actor.id! } as never)
        return templates.show(ctx, uuid)
      })
    },
  ),
  get('/templates/:uuid', { allow: view, reply: Template }, (ctx, { uuid }) => templates.show(ctx, uuid)),
  multiTransaction.put(
    '/templates/:uuid',
    { allow: manage, record: findEditable, body: changesOf(CreateTemplate), reply: Template, message: 'Template saved.' },
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
  del('/templates/:uuid', { allow: manage, record: lockEditable, message: 'Template deleted.' }, (ctx, { record }) =>
    templates.remove(ctx, record),
  ),
  multiTransaction.post(
    '/templates/:uuid/render',
    { allow: view, body: RenderBody, record: templates.find, reply: Rendered },
    (steps, { record, body }) => renderTemplate(steps, record, body),
  ),
]
