/** Synchronous loading of heavy libraries that most processes never need. Asynchronous code uses `await import()`. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Returns a function that loads the library at its first call: `onDemand<typeof import('htmlparser2')>('htmlparser2')`. */
export function onDemand<Library>(name: string): () => Library {
  let library: Library | undefined
  return () => (library ??= require(name) as Library)
}
