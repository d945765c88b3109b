/**
 * Official validation rules of e-invoices, in the folder E_INVOICE_RULES, or ../shared/rules next to the project. None are copied
 * here. Compiled rule files are cached in the system's temporary folder by the file's hash.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DomUtils, parseDocument } from 'htmlparser2'

/** The package has no types. */
const SaxonJS: { transform(options: object, how: 'sync'): { principalResult: string } } = createRequire(import.meta.url)(
  'saxon-js',
)

const project = resolve(import.meta.dirname, '..')
const RULES = process.env.E_INVOICE_RULES ?? join(project, '../shared/rules')
/** Reason to skip; false where the rules are present. */
export const withoutRules = existsSync(RULES) ? false : `the rules of e-invoices are not at ${RULES}`

/** Returns the standard's own examples by path. */
export const examples = (): { path: string; xml: string }[] =>
  (withoutRules ? [] : globSync('**/*examples/*.{xml,XML}', { cwd: RULES }))
    .sort()
    .map((path) => ({ path, xml: readFileSync(join(RULES, path), 'utf8') }))

export interface Failed {
  id: string
  flag: string
  text: string
}

/**
 * Returns a function that validates a document by a rule file (.xslt or .sch below the folder) and returns the violated rules.
 */
export function schematron(path: string): (xml: string) => Failed[] {
  let sheet: unknown
  return (xml) => {
    sheet ??= JSON.parse(readFileSync(compiled(path), 'utf8'))
    const { principalResult } = SaxonJS.transform(
      { stylesheetInternal: sheet, sourceText: xml, destination: 'serialized' },
      'sync',
    )
    const failed = DomUtils.getElementsByTagName('svrl:failed-assert', parseDocument(principalResult, { xmlMode: true }))
    return failed.map((node) => ({
      id: node.attribs.id ?? '',
      flag: node.attribs.flag ?? 'fatal',
      text: DomUtils.textContent(node).trim(),
    }))
  }
}

function compiled(path: string): string {
  const file = join(RULES, path)
  const source = path.endsWith('.sch') ? xsltOf(file) : readFileSync(file, 'utf8')
  const folder = join(tmpdir(), 'atrium-schematron')
  const kept = join(folder, `${createHash('sha256').update(source).digest('hex')}.sef.json`)
  if (existsSync(kept)) return kept
  mkdirSync(folder, { recursive: true })
  const [xslt, made] = [join(folder, `${process.pid}.xslt`), join(folder, `${process.pid}.sef.json`)]
  writeFileSync(xslt, source)
  const compiler = fileURLToPath(import.meta.resolve('xslt3'))
  execFileSync(process.execPath, [compiler, `-xsl:${xslt}`, `-export:${made}`, '-nogo'], { stdio: 'pipe' })
  renameSync(made, kept)
  return kept
}

type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number]
const elements = (nodes: Element['children']) => nodes.filter((child): child is Element => 'attribs' in child)
const childrenOf = (node: Element) => elements(node.children)
const nameOf = ({ name }: Element) => name.split(':').at(-1)!

/** Compiles Schematron to XSLT by ISO 19757-3: in each pattern a node matches the first rule that fits. */
function xsltOf(file: string): string {
  const schema = rootOf(file)
  const children = childrenOf(schema).map((child) =>
    nameOf(child) === 'include' ? rootOf(join(dirname(file), child.attribs.href!.replace('../', ''))) : child,
  )
  const patterns = children.filter((child) => nameOf(child) === 'pattern')
  const variables = [...children, ...patterns.flatMap(childrenOf)].filter((child) => nameOf(child) === 'let')
  const namespaces = children
    .filter((child) => nameOf(child) === 'ns')
    .map(({ attribs }) => `xmlns:${attribs.prefix}="${attribs.uri}"`)
  const functions = children.filter((child) => nameOf(child) === 'function')
  const own = Object.entries(schema.attribs).flatMap(([name, uri]) => (name === 'xmlns:u' ? [`xmlns:u="${uri}"`] : []))
  const declared = [...new Set(['xmlns:xs="http://www.w3.org/2001/XMLSchema"', ...namespaces, ...own])].filter(
    (one) => !/xmlns:(xsl|svrl)=/.test(one),
  )
  return `<xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svrl="http://purl.oclc.org/dsdl/svrl" ${declared.join(' ')}>
    ${variables.map(variable).join('')}
    ${functions.map((one) => DomUtils.getOuterHTML(one, { xmlMode: true, decodeEntities: false }).replace('<function', '<function xmlns="http://www.w3.org/1999/XSL/Transform"')).join('')}
    <xsl:template match="/"><svrl:schematron-output>${patterns.map((_, n) => `<xsl:apply-templates select="/" mode="m${n}"/>`).join('')}</svrl:schematron-output></xsl:template>
    ${patterns.map(templatesOf).join('')}
  </xsl:stylesheet>`
}

const rootOf = (file: string) => {
  const parsed = parseDocument(readFileSync(file, 'utf8'), { xmlMode: true, decodeEntities: false })
  return elements(parsed.children)[0]!
}

const variable = ({ attribs }: Element) => `<xsl:variable name="${attribs.name}" select="${quoted(attribs.value!)}"/>`
const quoted = (test: string) => test.replaceAll('"', '&quot;')

function templatesOf(pattern: Element, n: number): string {
  const deeper = `<xsl:apply-templates select="@*|node()" mode="m${n}"/>`
  const rules = childrenOf(pattern).filter((child) => nameOf(child) === 'rule')
  const templates = rules.map((rule, place) => {
    const inner = childrenOf(rule).map((child) => {
      if (nameOf(child) === 'let') return variable(child)
      if (nameOf(child) !== 'assert') return ''
      const { test, id = '', flag = 'fatal' } = child.attribs
      const text = DomUtils.textContent(child).replace(/[<&]/g, ' ')
      return `<xsl:if test="not(${quoted(test!)})"><svrl:failed-assert id="${id}" flag="${flag}">${text}</svrl:failed-assert></xsl:if>`
    })
    return `<xsl:template match="${quoted(rule.attribs.context!)}" mode="m${n}" priority="${rules.length - place}">${inner.join('')}${deeper}</xsl:template>`
  })
  return `${templates.join('')}<xsl:template match="node()|@*|/" mode="m${n}" priority="0">${deeper}</xsl:template>`
}
