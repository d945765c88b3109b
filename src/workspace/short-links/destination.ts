/** Destination of a short link: valid addresses, and the target with its utm_* fields. */
import { z } from 'zod'
import type { Config } from '#kernel/config.ts'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { workspaceOfHost } from '#workspace/branded/public.ts'

export const utmFields = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const
type Utm = Record<(typeof utmFields)[number], string | null>
/** Fields that form a link's target. */
export type Destination = { destination_url: string } & Utm

const says = 'Must be an address that begins with http:// or https://.'
/** Proxies accept headers of 4 KB, and the target is one. */
const MAX_LETTERS = 2000
const MAX_BYTES = 3500

/**
 * Schema of any legal http or https address: with a port, a query, a fragment, an international name. Credentials are rejected.
 */
export const destination = () =>
  z
    .string()
    .trim()
    .min(1, 'Must not be empty.')
    .max(MAX_LETTERS, `Must be at most ${MAX_LETTERS} characters.`)
    .refine((given) => isAddress(given), { error: says, abort: true })
    .refine((given) => !hasCredentials(given), 'Must not contain a user name or a password.')
    .meta({ format: 'website' })

/** Browsers accept much more (`https:x`, `http:\\x`, line breaks), but such an address is misleading. */
const isAddress = (given: string) =>
  /^https?:\/\/[^\\/?#]+(?:[/?#]|$)/i.test(given) && !/\p{Cc}/u.test(given) && URL.canParse(given)

const hasCredentials = (given: string) => /^https?:\/\/[^\\/?#]*@/i.test(given)

/** Characters that a header can contain unchanged (RFC 3986). */
const PLAIN = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/**
 * Returns the redirect's target (SL-24): the destination in ASCII, with the link's utm_* fields replacing parameters of the same
 * name. The rest of the query is unchanged, because it may be signed.
 */
export function targetOf(link: Destination): string {
  const target = new URL(link.destination_url)
  const added = utmFields.filter((name) => link[name] !== null)
  if (!added.length) return PLAIN.test(link.destination_url) ? link.destination_url : target.href
  const replaced = new Set<string | undefined>(added)
  const kept = target.search ? target.search.slice(1).split('&') : []
  target.search = [
    ...kept.filter((pair) => !replaced.has(nameIn(pair))),
    ...added.map((name) => `${name}=${encodeURIComponent(link[name]!)}`),
  ].join('&')
  return target.href
}

/**
 * Appends a visitor's query to the target's own, before a fragment. Parameters of the target can't be overridden; a query that
 * makes the target too long for a header is dropped.
 */
export function withQuery(target: string, query: string): string {
  if (!query) return target
  const url = new URL(target)
  const own = url.search ? url.search.slice(1).split('&') : []
  const names = new Set(own.map(nameIn))
  const added = query.split('&').filter((pair) => pair !== '' && !names.has(nameIn(pair)))
  if (!added.length) return target
  url.search = [...own, ...added].join('&')
  return url.href.length > MAX_BYTES ? target : url.href
}

/** `utm%5Fterm=x` has the name utm_term. */
const nameIn = (pair: string) => new URLSearchParams(pair).keys().next().value

/** 422 on `destination_url` where the target is one of our redirects, or too long for a header. */
export async function checkTarget(ctx: Ctx, link: Destination) {
  const target = targetOf(link)
  if (await isRedirect(ctx, new URL(target)))
    throw invalid({ destination_url: 'Must not be a short link itself: it would lead in a circle.' })
  if (target.length > MAX_BYTES)
    throw invalid({ destination_url: `Must be at most ${MAX_BYTES} characters with the utm fields, once it is encoded.` })
}

/** Every host of the platform and the workspace's own serve /r/…; the address of short links may be another host or path. */
async function isRedirect(ctx: Ctx, { hostname, pathname }: URL): Promise<boolean> {
  const { BASE_URL, SHORT_LINK_BASE_URL, PLATFORM_DOMAIN } = ctx.services.config
  const host = bare(hostname)
  const path = `${decoded(pathname)}/`
  const short = new URL(SHORT_LINK_BASE_URL)
  if (host === short.hostname && path.startsWith(`${short.pathname.replace(/\/$/, '')}/`)) return true
  if (!path.startsWith('/r/')) return false
  const ours = host === new URL(BASE_URL).hostname || host === PLATFORM_DOMAIN || host.endsWith(`.${PLATFORM_DOMAIN}`)
  return ours || (await workspaceOfHost(ctx, host)) !== undefined
}

/** A host name may end in a dot. */
const bare = (hostname: string) => hostname.replace(/\.$/, '')

/** `/%72/abc` is routed as /r/abc. */
function decoded(path: string) {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

export const shortUrl = ({ SHORT_LINK_BASE_URL }: Config, code: string) => `${SHORT_LINK_BASE_URL}/${code}`
