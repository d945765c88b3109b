/** Requests of somebody to the measured server, over HTTP. */

export interface Answer {
  /** 0: the connection ended without an answer. */
  status: number
  body: any
}

export interface Api {
  get(path: string): Promise<Answer>
  /** As JSON, or as the form or text that it is. Paths begin below the workspace's API, or are whole. */
  post(path: string, body?: object | string, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: object): Promise<Answer>
  delete(path: string): Promise<Answer>
}

interface Options {
  base: string
  token: string
  /** Ends what is under way. */
  signal?: AbortSignal
  /** Called with each status, or the error of the connection, unless the signal ended it. */
  answered?(what: string): void
}

export function apiAt({ base, token, signal, answered = () => {} }: Options): Api {
  async function send(method: string, path: string, body?: object | string, headers: Record<string, string> = {}) {
    const isJson = typeof body === 'object' && !(body instanceof FormData)
    try {
      const reply = await fetch(base + (path.startsWith('/api/') ? path : `/api/tenant/v1${path}`), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(isJson || typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        body: isJson ? JSON.stringify(body) : (body as string | FormData | undefined),
        signal,
      })
      const bytes = Buffer.from(await reply.arrayBuffer())
      answered(String(reply.status))
      const type = reply.headers.get('content-type') ?? ''
      return { status: reply.status, body: type.startsWith('application/json') ? JSON.parse(bytes.toString()) : bytes }
    } catch (error) {
      const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string }
      if (!signal?.aborted) answered(code ?? message)
      return { status: 0, body: undefined }
    }
  }
  return {
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body) => send('PUT', path, body),
    delete: (path) => send('DELETE', path),
  }
}

/** What an answer holds; an error where it is no success. */
export async function dataOf(asked: Promise<Answer>): Promise<any> {
  const { status, body } = await asked
  if (status < 200 || status >= 300)
    throw new Refused(status, body?.code ?? body?.message ?? '', JSON.stringify(body?.errors ?? {}))
  return body.data
}

export class Refused extends Error {
  constructor(status: number, code: string, errors: string) {
    super(`${status || 'no answer'} ${code} ${errors === '{}' ? '' : errors}`.trim())
  }
}
