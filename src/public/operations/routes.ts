import { z } from 'zod'
import { bareJson } from '#kernel/http/answer.ts'
import { page } from '#kernel/http/page.ts'
import { open, routesFor } from '#kernel/http/route.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import {
  charts,
  DeadLetters,
  dashboards,
  discardLetters,
  openDashboards,
  queues,
  retryLetters,
  type Span,
  spans,
} from '#platform/operations/public.ts'
import { byCookie, cookieOf } from './cookie.ts'
import { metricsPage } from './metrics-page.ts'
import { queuesPage } from './queues-page.ts'

const { get, multiTransaction } = routesFor(byCookie)

const anybody = { allow: 'anybody' } as const
const html = { ...anybody, answer: 'text/html' } as const
const json = { ...anybody, answer: 'application/json' } as const

const Link = z.object({
  to: z.enum(dashboards).describe('The dashboard that is opened.'),
  token: z.string().max(100).describe('What the link carries; it can be used once.'),
  signature: z.string().max(100).describe('Signature of the link.'),
})
const Since = z.object({
  minutes: z
    .enum(Object.keys(spans) as [string, ...string[]])
    .default('15')
    .transform((minutes) => Number(minutes) as Span)
    .describe('Of how many minutes, up to now.'),
})

export default [
  // A page that forwards itself instead of a redirect: after a link from another site, a redirect wouldn't send the cookie yet.
  open.get(
    '/enter',
    {
      ...html,
      description: 'Opens the dashboards by a link from `/metrics-dashboard/enter`, once, and sets a cookie for them.',
      errors: [401],
      query: Link,
      writes: true,
    },
    async (ctx, { query }) => {
      const session = await openDashboards(ctx, query)
      const to = escapeHtml(`/operations/${query.to}`)
      const answer = page({
        title: 'Operations',
        body: `<meta http-equiv="refresh" content="0; url=${to}"><p><a href="${to}">Go on</a></p>`,
      })
      return { ...answer, headers: { ...answer.headers, 'set-cookie': cookieOf(ctx, session) } }
    },
  ),
  get('/metrics', { ...html, description: 'Charts of the last six hours, as a page.' }, () => metricsPage()),
  multiTransaction.get(
    '/metrics/data',
    { ...json, query: Since, description: 'What the charts are drawn of: samples of all processes, added up.' },
    async ({ services }, { query }) => bareJson(await charts(services, query.minutes)),
  ),
  get('/queues', { ...html, description: 'The queues and their dead letters, as a page.' }, () => queuesPage()),
  multiTransaction.get(
    '/queues/data',
    { ...json, description: 'Every queue with its jobs by state, and the newest dead letters.' },
    async ({ services }) => bareJson(await queues(services)),
  ),
  multiTransaction.post(
    '/queues/retry',
    {
      ...anybody,
      body: DeadLetters,
      description: 'Gives dead letters back to their queues, to be tried again.',
      reply: z.object({
        retried: z.int().meta({ description: 'How many are back in their queues; others were gone.', examples: [2] }),
      }),
    },
    (steps, { body }) => retryLetters(steps, body.ids),
  ),
  multiTransaction.post(
    '/queues/discard',
    { ...anybody, body: DeadLetters, description: 'Forgets dead letters for good.' },
    (steps, { body }) => discardLetters(steps, body.ids),
  ),
]
