/**
 * Returns a `fetch` for one call that reports the sent bytes of its body: `{ fetch: progress((sent, total) => …) }`. Uses
 * XMLHttpRequest in browsers, which have no other way; elsewhere bytes count as sent once the connection has accepted them.
 */
export const progress =
  (told: (sent: number, total: number) => void) =>
  async (request: Request): Promise<Response> => {
    const body = await request.blob()
    return (typeof XMLHttpRequest === 'undefined' ? streamed : sentByXhr)(request, body, told)
  }

type Sender = (request: Request, body: Blob, told: (sent: number, total: number) => void) => Promise<Response>

/** Used part of XMLHttpRequest, which Node.js lacks. */
interface Xhr {
  upload: { onprogress: (event: { loaded: number; total: number }) => void }
  responseType: string
  response: Blob
  status: number
  statusText: string
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: Blob): void
  abort(): void
  onload: () => void
  onerror: () => void
  onabort: () => void
}
declare const XMLHttpRequest: new () => Xhr

const CHUNK = 65_536

const streamed: Sender = ({ url, method, headers, signal }, body, told) => {
  let sent = 0
  const chunks = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const chunk = new Uint8Array(await body.slice(sent, sent + CHUNK).arrayBuffer())
      if (!chunk.length) return controller.close()
      controller.enqueue(chunk)
      told((sent += chunk.length), body.size)
    },
  }
  const init = { method, headers, signal, body: new ReadableStream(chunks, { highWaterMark: 0 }), duplex: 'half' as const }
  return fetch(url, init)
}

const sentByXhr: Sender = ({ url, method, headers, signal }, body, told) =>
  new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open(method, url)
    xhr.responseType = 'blob'
    for (const [name, value] of headers) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded, total }) => told(loaded, total)
    xhr.onload = () => {
      const lines = xhr.getAllResponseHeaders().trim().split('\r\n')
      const headers = lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string])
      resolve(new Response(xhr.response, { status: xhr.status, statusText: xhr.statusText, headers }))
    }
    xhr.onerror = () => reject(new TypeError('The network failed.'))
    xhr.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => xhr.abort(), { once: true })
    xhr.send(body)
  })
