/** The templates that there are: the `.typ` files of the modules' folders, by name. Nothing else is ever read as a template. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const sources = join(import.meta.dirname, '../..')
let files: Map<string, string> | undefined
const texts = new Map<string, string>()

/** Typst's source of a template, by a name such as `billing-documents/document`. Throws for an unknown one. */
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
