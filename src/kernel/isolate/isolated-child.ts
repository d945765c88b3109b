/** Program of the child processes that run isolated functions. */
import { serveParent } from './child-side.ts'
import type { Call, Returned } from './isolated.ts'

serveParent(async ({ module, name, input }: Call): Promise<Returned> => {
  try {
    const { [name]: call } = (await import(module)) as Record<string, (input: unknown) => unknown>
    return { returned: await call!(input) }
  } catch (error) {
    return { threw: error instanceof Error ? error.message : String(error) }
  }
})
