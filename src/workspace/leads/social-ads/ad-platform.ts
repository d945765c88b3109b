/** Client of an ad platform. The only implementation uses Meta's Graph protocol; add others here. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Services } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { wholeText } from '#kernel/outbound/reading.ts'

// Sends requests to the configured address only: ids are escaped in its path, redirects and addresses in replies are not
// followed. Errors include neither the address nor the parameters, because these contain tokens.

interface GraphCall {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string[]
  params: Record<string, string>
}

const TIMEOUT = 10_000
const MAX_BYTES = 1024 * 1024

/** 502 SOCIAL_ADS_UNAVAILABLE unless the platform replies in time with JSON of this shape. */
const graphClient =
  (base: string) =>
  async <S extends z.core.$ZodType>(schema: S, { method = 'GET', path, params }: GraphCall): Promise<z.output<S>> => {
    const address = `${base}/${path.map(encodeURIComponent).join('/')}`
    const sent = new URLSearchParams(params)
    const inBody = method === 'POST'
    const reply = await fetch(inBody ? address : `${address}?${sent}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
      ...(inBody ? { body: sent } : {}),
    }).catch(() => undefined)
    if (!reply) throw unavailable('did not answer')
    const body = await jsonOf(reply).catch(() => undefined)
    if (!reply.ok) throw unavailable(`refused: ${reply.status}${codeOf(body)}`)
    const parsed = z.safeParse(schema, body)
    if (!parsed.success) throw unavailable('answered something else than expected')
    return parsed.data
  }

const unavailable = (what: string) => new HttpError(502, 'SOCIAL_ADS_UNAVAILABLE', `The ad platform ${what}.`)

const jsonOf = async (reply: Response): Promise<unknown> => JSON.parse(await wholeText(reply, MAX_BYTES))

/** Returns the platform's error code only; its message may repeat a token. */
function codeOf(body: unknown) {
  const code = (body as { error?: { code?: unknown } } | undefined)?.error?.code
  return typeof code === 'number' ? `, code ${code}` : ''
}

// Client of Meta's Graph API, as far as lead ads need it.

interface App {
  appId: string
  appSecret: string
  apiUrl: string
  callbackUrl: string
}

const SCOPE = 'pages_show_list,pages_manage_metadata,pages_read_engagement,leads_retrieval'
const MAX_PAGES = 500

/** Id of the platform, safe as a part of a path. */
export const graphId = () =>
  z.union([z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), z.int().positive().transform(String)], 'Must be an id of the platform.')

const token = () => z.string().min(1).max(5000)
const Token = z.object({ access_token: token() })
const Pages = z.object({
  data: z.array(z.object({ id: graphId(), name: z.string(), access_token: token() })),
  paging: z.object({ next: z.string().optional(), cursors: z.object({ after: z.string() }).optional() }).optional(),
})
const Done = z.object({ success: z.boolean() })
const LeadForm = z.object({ field_data: z.array(z.object({ name: z.string(), values: z.array(z.coerce.string()) })) })

function graphPlatform({ appId, appSecret, apiUrl, callbackUrl }: App): AdPlatform {
  const ask = graphClient(apiUrl)
  const dialogUrl = `${apiUrl.replace('//graph.', '//www.')}/dialog/oauth` // opened by users, and so not on the API's host
  const app = { client_id: appId, client_secret: appSecret }
  /** The proof shows that the token's user also has the app's secret. */
  const as = (token: string) => ({
    access_token: token,
    appsecret_proof: createHmac('sha256', appSecret).update(token).digest('hex'),
  })
  const subscription = async (method: GraphCall['method'], { page_id, token }: AdPage) => {
    const params = { ...as(token), ...(method === 'POST' ? { subscribed_fields: 'leadgen' } : {}) }
    const { success } = await ask(Done, { method, path: [page_id, 'subscribed_apps'], params })
    if (!success) throw new HttpError(502, 'SOCIAL_ADS_UNAVAILABLE', 'The ad platform did not change the subscription.')
  }

  return {
    grantUrl: (state) =>
      `${dialogUrl}?${new URLSearchParams({ client_id: appId, redirect_uri: callbackUrl, state, scope: SCOPE, response_type: 'code' })}`,

    /**
     * The token for a code is valid for hours. It is exchanged for one that is valid for months, whose page tokens don't expire.
     * Apps without that permission use the first one.
     */
    async tokenFor(code) {
      const path = ['oauth', 'access_token']
      const brief = await ask(Token, { path, params: { ...app, redirect_uri: callbackUrl, code } })
      const exchange = { grant_type: 'fb_exchange_token', fb_exchange_token: brief.access_token }
      const lasting = await ask(Token, { path, params: { ...app, ...exchange } }).catch(() => brief)
      return lasting.access_token
    },

    async pagesOf(token) {
      const pages: AdPage[] = []
      let after: string | undefined
      do {
        const params = { ...as(token), fields: 'id,name,access_token', limit: '100', ...(after ? { after } : {}) }
        const { data, paging } = await ask(Pages, { path: ['me', 'accounts'], params })
        pages.push(...data.map(({ id, name, access_token }) => ({ page_id: id, name: name.slice(0, 255), token: access_token })))
        after = paging?.next && data.length ? paging.cursors?.after : undefined
      } while (after && pages.length < MAX_PAGES)
      return pages.slice(0, MAX_PAGES)
    },

    subscribe: (page) => subscription('POST', page),
    unsubscribe: (page) => subscription('DELETE', page),

    async answersOf(leadgenId, pageToken) {
      const params = { ...as(pageToken), fields: 'id,created_time,form_id,field_data' }
      const { field_data } = await ask(LeadForm, { path: [leadgenId], params })
      return new Map(field_data.map(({ name, values }) => [name, values.join(', ')]))
    },
  }
}

/** A page of the connected account, with its access token. */
export interface AdPage {
  page_id: string
  name: string
  token: string
}

/** Methods that call the platform throw 502 SOCIAL_ADS_UNAVAILABLE on an unexpected reply. */
interface AdPlatform {
  /** Returns the address where the user grants access; the platform redirects back with a code and this state. */
  grantUrl(state: string): string
  /** Exchanges a code for the account's token. */
  tokenFor(code: string): Promise<string>
  /** Returns at most 500 pages. */
  pagesOf(token: string): Promise<AdPage[]>
  subscribe(page: AdPage): Promise<void>
  unsubscribe(page: AdPage): Promise<void>
  /** Returns the answers in a lead form by the form's field names. */
  answersOf(leadgenId: string, pageToken: string): Promise<Map<string, string>>
}

export const isConfigured = ({ config }: Services) => Boolean(config.SOCIAL_ADS_APP_ID && config.SOCIAL_ADS_APP_SECRET)

/** 422 on `connection` where no app at the platform is configured. */
export function platformOf({ config }: Services): AdPlatform {
  const { SOCIAL_ADS_APP_ID: appId, SOCIAL_ADS_APP_SECRET: appSecret } = config
  if (!appId || !appSecret) throw invalid({ connection: 'Social ads are not configured on this service.' })
  return graphPlatform({
    appId,
    appSecret,
    apiUrl: config.SOCIAL_ADS_API_URL,
    callbackUrl: `${config.BASE_URL}/api/oauth/leads/social-ads/callback`,
  })
}
