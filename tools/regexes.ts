/**
 * Reports regexes of `src` that take more than linear time. Part of `npm run check`; an argument names another folder. Every
 * regex literal and every `new RegExp` is analysed by recheck (https://makenowjust-labs.github.io/recheck/).
 */
import { globSync, readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { type Node, parse } from 'acorn'

process.removeAllListeners('warning') // warns that type stripping is experimental

// Runs in JavaScript and in this process: recheck's default entry looks for Java and native programs.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck')

/**
 * Exceptions: regexes that are worse than linear or can't be analysed, but are only applied to short texts. File, source, reason.
 */
const ALLOWED: [file: string, source: string, why: string][] = [
  [
    'src/workspace/short-links/redirects/visitor.ts',
    "crawlerPatterns()\n      .map(({ pattern }) => pattern)\n      .join('|')",
    'user agents are cut to 500 letters before (clicks.ts)',
  ],
  ['src/kernel/database/connect.ts', String.raw`/\d+$/`, 'command tags of PostgreSQL are a word or two and a number'],
  ['src/kernel/export/xlsx.ts', String.raw`/^['\s]+|['\s]+$/g`, 'names of sheets are cut to 28 letters before'],
  ['src/kernel/values/xml-schema-types.ts', String.raw`/0+$/`, 'texts are 100 characters at most (collapsed)'],
  [
    'src/kernel/values/xml-schema-types.ts',
    '`^(\\\\d{4}-\\\\d{2}-\\\\d{2})${ZONE}$`',
    'anchored, with bounds on every repetition',
  ],
  [
    'src/kernel/values/xml-schema-types.ts',
    'String.raw`^(\\d{4}-\\d{2}-\\d{2})T(\\d{2}:\\d{2}:\\d{2})(?:(\\.\\d{1,3})\\d*)?${ZONE}$`',
    'anchored, and texts are 100 characters at most (collapsed)',
  ],
  [
    'src/workspace/email/messages/charsets.ts',
    String.raw`/<meta\b[^>]{1,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})|<\?xml\b[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i`,
    'looked for in the first 4,096 bytes',
  ],
  ['src/workspace/email/messages/charsets.ts', String.raw`/^["']+|["';,]+$/g`, 'names of charsets are cut to 100 letters before'],
  ['src/kernel/import/notation.ts', '`\\\\d${pattern}\\\\d{3}`', 'three digits behind a digit and a sign'],
  [
    'src/kernel/import/notation.ts',
    '`^([+-]?)(${grouped}\\\\d{1,40})(?:${decimal}(\\\\d{1,40}))?(e[+-]?\\\\d{1,3})?$`',
    'anchored, with bounds on every repetition',
  ],
  [
    'src/kernel/import/notation.ts',
    '`^[+-]?(?:[1-9]\\\\d{0,2}(?:${group}\\\\d{3})+${decimal}\\\\d+|[1-9]\\\\d{0,2}(?:${group}\\\\d{3}){2,}|\\\\d+${decimal}(?:\\\\d{1,2}|\\\\d{4,})|0${decimal}\\\\d+)$`',
    'anchored; each part begins with another sign than the one before it may take',
  ],
]

interface Found {
  file: string
  line: number
  /** Source text in the code. */
  source: string
  /** Undefined if it is only known at run time. */
  pattern: string | undefined
  flags: string
}

const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, 'src')

/** Node of the syntax tree, with any properties. */
type Any = Node & Record<string, any>

function regexesOf(path: string): Found[] {
  const code = stripTypeScriptTypes(readFileSync(path, 'utf8')) // keeps every character's position
  const found: Found[] = []
  const constants = new Map<string, string>()

  /** Returns a text that is known statically; undefined for any other expression. */
  function textOf(node: Any | undefined): string | undefined {
    if (node?.type === 'Literal') return node.regex ? node.regex.pattern : typeof node.value === 'string' ? node.value : undefined
    if (node?.type === 'Identifier') return constants.get(node.name)
    if (node?.type === 'MemberExpression' && node.property.name === 'source') return textOf(node.object)
    if (node?.type !== 'TemplateLiteral') return undefined
    const parts = node.quasis.flatMap((quasi: Any, n: number) => [
      quasi.value.cooked,
      ...(n in node.expressions ? [textOf(node.expressions[n])] : []),
    ])
    return parts.includes(undefined) ? undefined : parts.join('')
  }

  function visit(node: Any) {
    const add = (source: string, pattern: string | undefined, flags: string) =>
      found.push({ file: relative(root, path), line: code.slice(0, node.start).split('\n').length, source, pattern, flags })
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') {
      const text = textOf(node.init)
      if (text !== undefined) constants.set(node.id.name, text)
    }
    if (node.type === 'Literal' && node.regex) add(node.raw, node.regex.pattern, node.regex.flags)
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee.name === 'RegExp') {
      const [pattern, flags] = node.arguments as Any[]
      add(code.slice(pattern!.start, pattern!.end), textOf(pattern), textOf(flags) ?? '')
    }
    for (const child of Object.values(node)) for (const one of [child].flat()) if (one?.type) visit(one)
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as Any)
  return found
}

/** Reduces bounds to small ones. They change the time by a factor only, and slow the analysis down. */
const bounded = (pattern: string) =>
  pattern.replace(/\{(\d+)(,?)(\d*)\}/g, (_, least: string, comma: string, most: string) => {
    const few = (number: string, limit: number) => Math.min(Number(number), limit)
    return `{${few(least, 3)}${comma}${most && few(most, 4)}}`
  })

/** Removes high bounds: an exponential regex takes too long within them too. */
const unbounded = (pattern: string) => pattern.replace(/\{(\d+),\d{2,}\}/g, '{$1,}')

/** Time limit of an analysis in milliseconds. A busy machine needs longer; a regex not analysed in time is fuzzed instead. */
const timeout = 60_000

/** Returns the fault of a regex; undefined if there is none. */
function faultOf(pattern: string, flags: string): string | undefined {
  const judge = (text: string) => {
    const verdict = checkSync(text, flags, { checker: 'automaton', timeout })
    return verdict.status === 'unknown' ? checkSync(text, flags, { checker: 'fuzz', timeout }) : verdict
  }
  const verdict = judge(bounded(pattern))
  if (verdict.status === 'unknown') return `could not be judged (${verdict.error.kind})`
  if (verdict.status === 'vulnerable') return `${verdict.complexity.summary}, for example on ${verdict.attack.pattern}`
  if (unbounded(pattern) === pattern) return undefined
  const loose = checkSync(bounded(unbounded(pattern)), flags, { checker: 'automaton', timeout })
  return loose.status === 'vulnerable' && loose.complexity.type === 'exponential'
    ? `exponential up to its bounds, for example on ${loose.attack.pattern}`
    : undefined
}

const faults = new Map<string, string | undefined>()
const used = new Set<string>()
const complaints: string[] = []
for (const path of globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).sort())
  for (const { file, line, source, pattern, flags } of regexesOf(join(folder, path))) {
    const allowed = ALLOWED.find(([where, what]) => where === file && what === source)
    if (allowed) {
      used.add(allowed[1])
      continue
    }
    const key = `/${pattern}/${flags}`
    if (!faults.has(key)) faults.set(key, pattern === undefined ? 'is made of what only running tells' : faultOf(pattern, flags))
    const fault = faults.get(key)
    if (fault) complaints.push(`${file}:${line}  ${source}\n    ${fault}`)
  }
if (!process.argv[2])
  for (const [file, source] of ALLOWED)
    if (!used.has(source)) complaints.push(`${file}  ${source}\n    is allowed in tools/regexes.ts, but not there any more`)

if (complaints.length) {
  console.error(`${complaints.join('\n')}

A text that somebody else wrote must be read in linear time. Parts that follow each other must not begin with what the part before may
take (\\s*[^<]* both take a space); nothing repeated may repeat within ((a+)+); what is looked for at an end, or may begin anywhere, is found by
trimEnd, lastIndexOf or a loop from the end instead of /x+$/. Only where the text is bounded to be short, ALLOWED in tools/regexes.ts says so and why.`)
  process.exitCode = 1
}
