/** Sanitising what users write without holding up others: long HTML is read in a child. */
import type { WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { harmlessHtml, type Images } from './display.ts'

/** HTML as it may be stored and sent. */
export type CleanHtml = string & { readonly isClean: unique symbol }

/** So many characters take 30 ms at worst. */
const MAX_HERE = 65_535
/** Sanitised, in characters: some tags become longer by it. */
const MAX_CLEAN = 2_000_000

const inChild = isolated<typeof harmlessHtml>(import.meta.resolve('./display.ts'), 'harmlessHtml', {
  seconds: 10,
  megabytes: 500,
})

/** What a route in steps has: long HTML waits for its turn, so it is sanitised before the transaction. 422 on `field` where it can't be. */
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

/** A body whose `body_html`, where there is one, is sanitised. */
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
