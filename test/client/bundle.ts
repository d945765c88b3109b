/** The client as delivered to a browser: one minified file built from source. */
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Bundles a module from its text. Imports resolve from the repository's root. */
export async function bundled(text: string): Promise<string> {
  const plugin = {
    name: 'entry',
    resolveId: (id: string) => (id === 'entry' ? '\0entry' : undefined),
    load: (id: string) => (id === '\0entry' ? text : undefined),
  }
  const bundle = await rolldown({
    input: 'entry',
    cwd: join(import.meta.dirname, '../..'),
    plugins: [plugin],
    platform: 'browser',
    resolve: { conditionNames: ['atrium-source', 'browser', 'import'] },
  })
  const { output } = await bundle.generate({ minify: true, codeSplitting: false })
  await bundle.close()
  return output[0].code
}
