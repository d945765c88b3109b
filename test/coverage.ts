/**
 * Evaluates the output of `node test/run.ts --coverage <folder>`: which test file has executed which lines of src.
 *
 *   node test/coverage.ts compare <before> <after>    lines that only the first of two folders covers, by file
 *   node test/coverage.ts of <folder> <file>:<line>   test files that execute a line
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CoveredLines } from './line-coverage.ts'

interface FileCoverage {
  /** The test file. */
  file: string
  lines: CoveredLines
}

/** Reads the coverage of each test file of a run. */
export const readCoverage = (folder: string): FileCoverage[] =>
  readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))

/** Returns the test files that execute one of these lines. */
export const testsOf = (coverage: FileCoverage[], path: string, lines: number[]): string[] =>
  coverage.filter((one) => one.lines[path]?.some((line) => lines.includes(line))).map(({ file }) => file)

/** Returns the lines of `before` missing in `after`, by file. */
export function missing(before: FileCoverage[], after: FileCoverage[]): Map<string, number[]> {
  const covered = union(after)
  const lost = [...union(before)].map(
    ([path, lines]) => [path, [...lines].filter((line) => !covered.get(path)?.has(line))] as const,
  )
  return new Map(lost.filter(([, lines]) => lines.length).map(([path, lines]) => [path, lines.sort((a, b) => a - b)]))
}

function union(coverage: FileCoverage[]): Map<string, Set<number>> {
  const all = new Map<string, Set<number>>()
  for (const { lines } of coverage)
    for (const [path, some] of Object.entries(lines)) {
      const known = all.getOrInsertComputed(path, () => new Set())
      for (const line of some) known.add(line)
    }
  return all
}

if (import.meta.main) {
  const [command, folder = '', argument = ''] = process.argv.slice(2)
  if (command === 'compare') {
    const lost = missing(readCoverage(folder), readCoverage(argument))
    for (const [path, lines] of lost) console.log(`${path}: ${lines.join(', ')}`)
    process.exitCode = lost.size ? 1 : 0
  } else if (command === 'of') {
    const [path = '', line] = argument.split(':')
    console.log(testsOf(readCoverage(folder), path, [Number(line)]).join('\n'))
  } else {
    console.error('node test/coverage.ts compare <before> <after> | of <folder> <file>:<line>')
    process.exitCode = 2
  }
}
