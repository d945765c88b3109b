/**
 * A process that works test files one after the other, so that the product is loaded once for all of them. Each file has its own world, and
 * its tests stand below its path. The processes of a run share one list: whoever makes a file's claim works it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeWhatIsOpen } from './left-open.ts'
import { countLines } from './line-coverage.ts'

export interface Lane {
  /** Files in the order in which they begin. */
  files: { path: string; alone: boolean }[]
  /** An empty folder, for claims, and a note for each file that was worked to its end: its milliseconds. */
  claims: string
  /** So many files are worked by one process; one that stands alone is its process's only one. */
  most: number
  /** Only tests of some names are run. */
  named: boolean
  /** Where the lines are written that each file has executed in its process. */
  coverage?: string
}

/** What a file took: in milliseconds, CPU of its process and of its children that have ended. */
export interface Took {
  ms: number
  cpu: number
}

/** How long a process may stay after its last test. */
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

// Where names choose the tests, a file that has none of them doesn't end what it began for them.
if (named) setTimeout(() => process.exit(), 1000).unref()
// Else a file whose `after` failed may leave something open, which must not keep the run from ending.
else setTimeout(endByForce, LEFT_OPEN_MS).unref()

function endByForce() {
  console.error(`Still open after the last test: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`)
  process.exit(1)
}

/** CPU time in milliseconds of this process and of its children that have ended. */
function cpuUsed() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + cpuOfChildren()
}

/** Linux counts it in hundredths of a second. Elsewhere it isn't known. */
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
