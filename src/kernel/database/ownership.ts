/**
 * Ownership of the embedded server by a process, recorded in a file that survives kill -9 and that only one process can claim.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

/**
 * Makes this process the owner; otherwise returns the pid of the living owner (which may be this process). Linking and renaming
 * are atomic, so of several processes that find a dead owner exactly one succeeds.
 */
export function claim(file: string): number | undefined {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  fs.writeFileSync(draft, `${process.pid} ${startOf(process.pid)}`)
  try {
    for (;;) {
      if (unless('EEXIST', () => fs.linkSync(draft, file))) return undefined
      let seen = ''
      if (!unless('ENOENT', () => (seen = fs.readFileSync(file, 'utf8')))) continue
      const [pid, start] = seen.split(' ')
      if (startOf(Number(pid)) === start) return Number(pid)
      if (!unless('ENOENT', () => fs.renameSync(file, `${draft}.old`))) continue
      // Another process was faster, and this one has renamed its new claim: restore it.
      if (fs.readFileSync(`${draft}.old`, 'utf8') !== seen) unless('EEXIST', () => fs.linkSync(`${draft}.old`, file))
    }
  } finally {
    for (const name of [draft, `${draft}.old`]) fs.rmSync(name, { force: true })
  }
}

/** Start time of a living process ('' if the system doesn't provide it); undefined if it has ended or is a zombie. */
export function startOf(pid: number): string | undefined {
  if (!(pid > 0)) return undefined
  try {
    process.kill(pid, 0)
  } catch (error: any) {
    if (error.code !== 'EPERM') return undefined
  }
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return ''
  }
}

/** Runs an action. Returns false if it fails with the expected error, true if it succeeds. */
export function unless(code: string, action: () => unknown): boolean {
  try {
    action()
    return true
  } catch (error: any) {
    if (error.code === code) return false
    throw error
  }
}
