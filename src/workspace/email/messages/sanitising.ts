/** Sanitises HTML of users without blocking other requests: long HTML is processed in a child process. */
import type { WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { harmlessHtml, type Images } from './display.ts'

/** HTML that may be stored and sent. */
export type CleanHtml = string & { readonly isClean: unique symbol }

/** Maximum characters sanitised in this process; they take 30 ms at worst. */
const MAX_HERE = 65_535
/** Maximum characters once sanitised: some tags become longer by it. */
const MAX_CLEAN = 2_000_000

const inChild = isolated<typeof harmlessHtml>(import.meta.resolve('./display.ts'), 'harmlessHtml', {
  seconds: 10,
  megabytes: 500,
})

/**
 * Sanitises HTML for a route in steps: long HTML may have to queue, so this runs before the transaction. 422 on `field` if it
 * fails.
 */
export async function cleanHtml(
  { services, tenant }: Pick<WorkspaceSteps, 'services' | 'tenant'>,
  field: string,
  html: string,
  images: Images,
): Promise<CleanHtml> {
  const clean = html.length > MAX_HERE ? await read() : harmlessHtml({ html, images })
  if (clean.length > MAX_CLEAN) throw invalid({ [field]: `Becomes longer than ${MAX_CLEAN} characters.` })
  return clean as CleanHtml

  async function read() {
    try {
      return await inChild(services, tenant.id, { html, images })
    } catch (error) {
      if (!isBeyondReading(error)) throw error
      throw invalid({ [field]: 'Its HTML is more than can be read.' })
    }
  }
}

/** Returns the body with its `body_html`, if any, sanitised. */
export async function withCleanHtml<B extends { body_html?: string | null }>(
  steps: Pick<WorkspaceSteps, 'services' | 'tenant'>,
  body: B,
  images: Images,
): Promise<Clean<B>> {
  const { body_html } = body
  return { ...body, ...(body_html && { body_html: await cleanHtml(steps, 'body_html', body_html, images) }) } as Clean<B>
}
export type Clean<B extends { body_html?: string | null }> = Omit<B, 'body_html'> & {
  [K in keyof Pick<B, 'body_html'>]: CleanHtml | Exclude<B[K], string>
}
