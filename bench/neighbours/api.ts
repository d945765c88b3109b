/** Client of the measured server, over HTTP. */

/** Reply to a request. */
export interface Answer {
  /** 0: the connection ended without a reply. */
  status: number
  body: any
}

export interface Api {
  get(path: string): Promise<Answer>
  /** Sends JSON, or a form or text as it is. Paths are relative to the workspace API, or absolute. */
  post(path: string, body?: object | string, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: object): Promise<Answer>
  delete(path: string): Promise<Answer>
}

interface Options {
  base: string
  token: string
  /** Aborts running requests. */
  signal?: AbortSignal
  /** Called with each status or connection error, unless the signal aborted it. */
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

/** Returns a reply's data. Throws unless it is a success. */
export async function dataOf(asked: Promise<Answer>): Promise<any> {
  const { status, body } = await asked
  if (status < 200 || status >= 300)
    throw new Refused(status, body?.code ?? body?.message ?? '', JSON.stringify(body?.errors ?? {}))
  return body.data
}

/** Request that failed, with its status, code and field errors as the message. */
export class Refused extends Error {
  constructor(status: number, code: string, errors: string) {
    super(`${status || 'no answer'} ${code} ${errors === '{}' ? '' : errors}`.trim())
  }
}
