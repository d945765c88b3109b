/**
 * Asks the configured address and no other: ids are escaped into its path, redirects are not followed, and addresses in replies are
 * not called. Errors name neither the address nor the parameters, because these hold tokens.
 */
import { z } from 'zod'
import { HttpError } from '#kernel/errors.ts'

export interface GraphCall {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string[]
  params: Record<string, string>
}

const TIMEOUT = 10_000
const MAX_BYTES = 1024 * 1024

/** 502 SOCIAL_ADS_UNAVAILABLE unless the platform answers, in time, with JSON of this shape. */
export const graphClient =
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

async function jsonOf(reply: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of reply.body ?? []) {
    if ((bytes += chunk.length) > MAX_BYTES) throw new Error('too long')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** The platform's number of an error; its words may repeat a token. */
function codeOf(body: unknown) {
  const code = (body as { error?: { code?: unknown } } | undefined)?.error?.code
  return typeof code === 'number' ? `, code ${code}` : ''
}
