/** The application for client tests: listening on a port, with a workspace and observable requests. */
import { freePort } from '../free-port.ts'
import { startTest } from '../harness.ts'

export async function startClientWorld() {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const world = await startTest({ env: { BASE_URL: baseUrl } })
  await world.app.listen({ port, host: '127.0.0.1' })
  return { world, baseUrl }
}

type Fetch = (request: Request) => Promise<Response>

/**
 * Returns a `fetch` that records its requests. `between` gets the number of the request, from 0, and a function that sends it; it
 * may reply itself or drop a reply.
 */
export function watchedFetch(between: (n: number, send: () => Promise<Response>) => Promise<Response> = (_, send) => send()) {
  const sent: { method: string; url: string; headers: Headers; body: string }[] = []
  const fetch: Fetch = async (request) => {
    const { method, url, headers } = request
    sent.push({ method, url, headers, body: await request.clone().text() })
    return between(sent.length - 1, () => globalThis.fetch(request))
  }
  return { fetch, sent }
}
