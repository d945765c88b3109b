import { recordRoutes } from '#kernel/http/record-routes.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { AnalyticsQuery, analyticsOf, clickLog, ShortLinkAnalytics, ShortLinkClick } from './analytics.ts'
import { shortUrl } from './destination.ts'
import { QrQuery, qrCode, qrTypes } from './qr.ts'
import { ChangeShortLink, CreateShortLink } from './schema.ts'
import { create, idOf, remove, restore, shortLinkList, shortLinkStats, shortLinks, update } from './short-links.ts'

const { get } = workspace

const routes = [
  ...recordRoutes(shortLinks, {
    list: shortLinkList,
    stats: shortLinkStats,
    body: CreateShortLink,
    changes: ChangeShortLink,
    create,
    update,
    remove,
    restore,
  }),
  get(
    '/:id/stats',
    {
      allow: 'short-links.view_analytics',
      description: 'Answers how often the link was followed: by day, by referring site and by kind of device.',
      query: AnalyticsQuery,
      reply: ShortLinkAnalytics,
    },
    async (ctx, { id, query }) => analyticsOf(ctx, await shortLinks.find(ctx, id), query.days),
  ),
  get(
    '/:id/clicks',
    {
      allow: 'short-links.view_analytics',
      description:
        'Answers a page of who followed the link, the newest first, as far back as the operator has clicks kept (13 months, unless they say otherwise). No addresses are kept.',
      query: Paging,
      page: ShortLinkClick,
    },
    async (ctx, { id, query }) => clickLog(ctx, await shortLinks.find(ctx, id), query),
  ),
  get(
    '/:id/qr',
    {
      allow: 'short-links.view',
      description: 'Answers a QR code of the short address as a picture.',
      query: QrQuery,
      file: qrTypes,
    },
    async (ctx, { id, query }) => {
      const { code } = await shortLinks.find(ctx, id)
      return qrCode(code, shortUrl(ctx.services.config, code), query)
    },
  ),
]

/** Accepts a link's id or uuid in the path. */
const byKey = (route: Route): Route => {
  const { path, spec, handler } = route
  if (!path.startsWith('/:id')) return route
  const { record } = spec
  return {
    ...route,
    path: path.replace(':id', ':key'),
    spec: record ? { ...spec, record: async (ctx, key, params) => record(ctx, await idOf(ctx, key), params) } : spec,
    handler: async (ctx, input) => handler(ctx, { ...input, id: input.record?.id ?? (await idOf(ctx, input.key)) }),
  }
}

export default routes.map(byKey)
