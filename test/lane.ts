/**
 * A process that works test files one after the other, so that the product is loaded once for all of them. Each file has its own world, and
 * its tests stand below its path. The processes of a run share one list: whoever makes a file's claim works it.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeWhatIsOpen } from './left-open.ts'

export interface Lane {
  /** Files in the order in which they begin. */
  files: { path: string; alone: boolean }[]
  /** An empty folder, for claims, and a note for each file that was worked to its end: its milliseconds. */
  claims: string
  /** So many files are worked by one process; one that stands alone is its process's only one. */
  most: number
  /** Only tests of some names are run. */
  named: boolean
}

const { files, claims, most, named }: Lane = JSON.parse(process.env.TEST_LANE!)
for (let worked = 0; worked < most; worked++) {
  const file = claim(worked === 0)
  if (!file) break
  process.argv[1] = resolve(file.path)
  const began = performance.now()
  await describe(file.path, async () => {
    await import(pathToFileURL(resolve(file.path)).href)
  })
  await closeWhatIsOpen()
  writeFileSync(join(claims, `${files.indexOf(file)}.done`), String(Math.round(performance.now() - began)))
  if (file.alone) break
}

// A file without such a test doesn't end what it began for its tests.
if (named) setTimeout(() => process.exit(), 1000).unref()

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
