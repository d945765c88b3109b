/**
 * Executed lines of src in this process since the last call, from V8's precise coverage. Types are stripped in place, so offsets
 * equal those of the source.
 */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const source = pathToFileURL(join(root, 'src')).href

interface Range {
  startOffset: number
  endOffset: number
  count: number
}
interface Script {
  url: string
  functions: { ranges: Range[] }[]
}

/** Ascending line numbers from 1, by file. */
export type CoveredLines = Record<string, number[]>

/** Starts counting. The returned function returns the lines executed since its last call. */
export function countLines(): () => CoveredLines {
  const session = new Session()
  session.connect()
  const post = (method: string, params = {}) => {
    let answer: unknown
    session.post(method, params, (error, result) => {
      if (error) throw error
      answer = result
    })
    return answer as any
  }
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return () => {
    const { result } = post('Profiler.takePreciseCoverage') as { result: Script[] }
    const covered: CoveredLines = {}
    for (const script of result) {
      if (!script.url.startsWith(source)) continue
      const path = fileURLToPath(script.url)
      const lines = linesOf(readFileSync(path, 'utf8'), script)
      if (lines.length) covered[relative(root, path)] = lines
    }
    return covered
  }
}

/** Ranges are nested; the innermost one around an offset determines whether it was executed. A missing function was not. */
function linesOf(text: string, { functions }: Script): number[] {
  const executed = new Uint8Array(text.length)
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  for (const { startOffset, endOffset, count } of ranges) executed.fill(count ? 1 : 0, startOffset, endOffset)
  const lines: number[] = []
  let line = 1
  let isExecuted = false
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at]
    if (sign === '\n' || sign === undefined) {
      if (isExecuted) lines.push(line)
      line++
      isExecuted = false
    } else if (executed[at] && sign > ' ') isExecuted = true
  }
  return lines
}
