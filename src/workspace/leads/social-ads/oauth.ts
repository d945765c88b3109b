/**
 * OAuth connection of an account. The state is single-use, expires after ten minutes, and is bound to the user and their browser.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { issueOneTimeToken, redeemOneTimeToken } from '#kernel/auth/tokens.ts'
import type { BaseCtx, Ctx, PublicSteps, Services } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { type Answer, enveloped } from '#kernel/http/answer.ts'
import { cookieName, cookiesNamed, setCookie } from '#kernel/http/cookies.ts'
import { isHead } from '#kernel/http/head.ts'
import { page } from '#kernel/http/page.ts'
import { sessionFor } from '#kernel/jobs/entering.ts'
import { stepsIn } from '#kernel/jobs/workspace-job.ts'
import { randomSecret, sameBytes, sha256 } from '#kernel/secrets/secrets.ts'
import { type AdPage, platformOf } from './ad-platform.ts'
import { TOKEN_PURPOSE } from './connection.ts'
import { storePages } from './pages.ts'

// Cookie that binds a grant to the browser that began it. Without it, an attacker's link would connect the victim's account to
// the attacker's workspace. Programs that follow the addresses send no cookies and can't be tricked into it.

const NAME = 'atrium_social_ads'

/**
 * Returns a new cookie and the hash that `isSameBrowser` compares. Its domain covers the service's address, even if the request
 * came to a workspace's host next to or below it.
 */
function markBrowser({ request, services }: BaseCtx, seconds: number) {
  const base = new URL(services.config.BASE_URL)
  const asked = request.host.split(':')[0]!.toLowerCase()
  const secret = randomSecret()
  const isIn = (domain: string) => (host: string) => host === domain || host.endsWith(`.${domain}`)
  const domain = [base.hostname, services.config.PLATFORM_DOMAIN.toLowerCase()].find((one) =>
    [asked, base.hostname].every(isIn(one)),
  )
  const cookie = setCookie(services.config, NAME, secret, {
    path: '/api/oauth/leads/social-ads',
    sameSite: 'Lax', // the platform's page redirects back here
    seconds,
    domain: asked === base.hostname ? undefined : domain,
  })
  return { cookie, hash: hashOf(secret) }
}

/** Returns whether a request comes from the marked browser, or from no browser at all. */
function isSameBrowser({ config }: Services, headers: IncomingHttpHeaders, hash: string) {
  const [secret] = cookiesNamed(headers.cookie, cookieName(config, NAME))
  if (secret === undefined) return !isBrowser(headers)
  return sameBytes(Buffer.from(hashOf(secret)), Buffer.from(hash))
}

/** Pages can't stop a browser from sending these headers. */
const isBrowser = (headers: IncomingHttpHeaders) =>
  headers['sec-fetch-mode'] !== undefined || (headers['user-agent'] ?? '').startsWith('Mozilla/')

const hashOf = (secret: string) => sha256(secret).toString('base64url')

declare module '#kernel/auth/tokens.ts' {
  interface TokenPurposes {
    'connect-social-ads': { browser: string }
  }
}

const PURPOSE = 'connect-social-ads'
const TEN_MINUTES = 600

/**
 * Returns the platform's authorisation address and the browser's cookie; 422 on `connection` where social ads are not configured.
 */
export async function beginGrant(ctx: Ctx): Promise<Answer> {
  const platform = platformOf(ctx.services)
  const owner = { tenant_id: ctx.tenant.id, user_id: ctx.actor.id! }
  const { cookie, hash } = markBrowser(ctx, TEN_MINUTES)
  const state = await issueOneTimeToken(ctx, owner, PURPOSE, { browser: hash }, { seconds: TEN_MINUTES })
  return enveloped({ url: platform.grantUrl(state) }, { 'set-cookie': cookie })
}

/** Parameters that the platform adds to the callback's address. */
export const Callback = z.object({
  state: z.string().max(200).describe('What the address to begin at carried; good once.'),
  code: z.string().max(5000).optional().describe('By which the platform gives access.'),
  error: z.string().max(200).optional().describe('Why it gives none.'),
})

/**
 * Connects the account for the user who began, if they still may, and returns an HTML page. 422 on `state` for one that is
 * unknown, used or another browser's, and on `code` where access was not granted.
 */
export async function finishGrant(
  steps: PublicSteps,
  { query: { state, code }, headers }: { query: z.output<typeof Callback>; headers: IncomingHttpHeaders },
) {
  const begun = await steps.write((ctx) => redeemOneTimeToken(ctx, [PURPOSE], state))
  if (!begun?.tenant_id) throw invalid({ state: 'This attempt to connect is over. Please begin again.' })
  const { services } = steps
  if (!isSameBrowser(services, headers, begun.payload.browser))
    throw invalid({
      state: `This was begun in another browser, or at another address than ${services.config.BASE_URL}. Nothing was connected. Please begin again there, in this browser.`,
    })
  const who = { tenant_id: begun.tenant_id, actor_id: begun.user_id }
  const session = await sessionFor(services, who, services.modules.workspace.get('leads'))
  if ('ended' in session) throw forbidden(session.ended)
  const inside = stepsIn(services, session)
  inside.require('leads.manage_integrations')
  if (!code) throw invalid({ code: 'Access to the account was not granted.' })

  // The code is single-use: a HEAD request must not redeem it.
  if (!isHead(steps.request)) {
    const platform = platformOf(services)
    const token = await platform.tokenFor(code)
    const pages = await platform.pagesOf(token)
    await inside.write((ctx) => connect(ctx, token, pages))
  }
  return page({
    title: 'Connected',
    brand: { name: inside.tenant.name },
    body: '<p role="status">The account is connected. You can close this page, and choose the pages whose leads you want.</p>',
  })
}

async function connect(ctx: Ctx, token: string, pages: AdPage[]) {
  const account = {
    account_token: ctx.services.secrets.encrypt(TOKEN_PURPOSE, token),
    connected_by: ctx.actor.id,
    connected_at: ctx.now,
    updated_at: ctx.now,
  }
  await ctx.tx
    .insertInto('lead_ad_connections')
    .values({ tenant_id: ctx.tenant.id, ...account, created_at: ctx.now })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(account))
    .execute()
  await storePages(ctx, pages)
}
