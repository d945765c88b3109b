/** Libraries that are heavy, and that most processes never need. Where there is something to await, `await import()` does the same. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Gives a library, loaded by the first call: `onDemand<typeof import('htmlparser2')>('htmlparser2')`. */
export function onDemand<Library>(name: string): () => Library {
  let library: Library | undefined
  return () => (library ??= require(name) as Library)
}
