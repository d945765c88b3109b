/** PDF templates: the `.typ` files in modules' folders, by name. No other file is ever read as a template. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const sources = join(import.meta.dirname, '../..')
let files: Map<string, string> | undefined
const texts = new Map<string, string>()

/** Returns the Typst source of a template such as `billing-documents/document`. Throws if it doesn't exist. */
export function templateText(name: string): string {
  files ??= new Map(
    globSync('{workspace,platform,public}/*/*.typ', { cwd: sources }).map((path) => [
      path
        .split(/[\\/]/)
        .slice(1)
        .join('/')
        .replace(/\.typ$/, ''),
      join(sources, path),
    ]),
  )
  const file = files.get(name)
  if (!file) throw new Error(`There is no PDF template ${name}.`)
  const text = texts.get(name) ?? readFileSync(file, 'utf8')
  texts.set(name, text)
  return text
}
