/** The client as a browser gets it: in one file, minified, from its source. */
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Bundles a module that is given by its text. What it imports is found from the repository's root. */
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
