/**
 * Test worker: a process that runs test files one after another, so that the application is loaded once. Each file has its own
 * world, and its tests are reported under its path. Workers share one list of files and claim each by creating a file.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeWhatIsOpen } from './left-open.ts'
import { countLines } from './line-coverage.ts'

export interface Lane {
  /** Files in the order in which they start. */
  files: { path: string; alone: boolean }[]
  /** Folder for claims, initially empty, with the duration of each completed file in milliseconds. */
  claims: string
  /** Maximum number of files per process; a file marked `alone` is its process's only one. */
  most: number
  /** Whether only tests with certain names run. */
  named: boolean
  /** Folder for the executed lines by file. */
  coverage?: string
}

/** Resources of a file: milliseconds, and CPU of its process and ended children. */
export interface Took {
  ms: number
  cpu: number
}

/** Maximum time that a process may stay open after its last test. */
const LEFT_OPEN_MS = 60_000

const { files, claims, most, named, coverage }: Lane = JSON.parse(process.env.TEST_LANE!)
const coveredLines = coverage ? countLines() : undefined
for (let worked = 0; worked < most; worked++) {
  const file = claim(worked === 0)
  if (!file) break
  process.argv[1] = resolve(file.path)
  const began = performance.now()
  const cpuBefore = cpuUsed()
  await describe(file.path, async () => {
    await import(pathToFileURL(resolve(file.path)).href)
  })
  await closeWhatIsOpen()
  const took: Took = { ms: Math.round(performance.now() - began), cpu: Math.round(cpuUsed() - cpuBefore) }
  const index = files.indexOf(file)
  if (coveredLines) writeFileSync(join(coverage!, `${index}.json`), JSON.stringify({ file: file.path, lines: coveredLines() }))
  writeFileSync(join(claims, `${index}.done`), JSON.stringify(took))
  if (file.alone) break
}

// With selected names, a file without a matching test doesn't close what it started for them.
if (named) setTimeout(() => process.exit(), 1000).unref()
// A file whose `after` failed may leave something open, which must not block the run.
else setTimeout(endByForce, LEFT_OPEN_MS).unref()

function endByForce() {
  console.error(`Still open after the last test: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`)
  process.exit(1)
}

/** Returns CPU milliseconds of this process and its ended children. */
function cpuUsed() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + cpuOfChildren()
}

/** Linux reports it in hundredths of a second. Unknown on other systems. */
function cpuOfChildren() {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'latin1').split(') ')
    const [user = 0, system = 0] = fields.split(' ').slice(13, 15).map(Number)
    return (user + system) * 10
  } catch {
    return 0
  }
}

function claim(alsoAlone: boolean) {
  return files.find(({ alone }, index) => {
    if (alone && !alsoAlone) return false
    try {
      writeFileSync(join(claims, String(index)), '', { flag: 'wx' })
      return true
    } catch {
      return false
    }
  })
}
