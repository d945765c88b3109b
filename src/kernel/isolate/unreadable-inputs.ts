/**
 * Cache of inputs that recently killed their child processes, by hash. The same input of the same workspace doesn't cost another
 * child.
 */
import { webcrypto } from 'node:crypto'
import { serialize } from 'node:v8'
import QuickLRU from 'quick-lru'

export interface UnreadableInputs<Input, Why> {
  /** Returns why an input of a workspace couldn't be read within the last hour, or undefined. */
  find(workspace: number, input: Input): Promise<Why | undefined>
  add(workspace: number, input: Input, why: Why): Promise<void>
}

const HOUR = 3_600_000
const MAX_INPUTS = 1000

/** Returns an empty record of such inputs, limited to `MAX_INPUTS`. */
export function unreadableInputs<Input, Why>(): UnreadableInputs<Input, Why> {
  const found = new QuickLRU<string, Why>({ maxSize: MAX_INPUTS, maxAge: HOUR })
  /** Workspaces with such inputs. No hash is computed for the others. */
  const workspaces = new QuickLRU<number, true>({ maxSize: MAX_INPUTS, maxAge: HOUR })
  return {
    async find(workspace, input) {
      return workspaces.has(workspace) ? found.get(await keyOf(workspace, input)) : undefined
    },
    async add(workspace, input, why) {
      workspaces.set(workspace, true)
      found.set(await keyOf(workspace, input), why)
    },
  }
}

/** Hashes in a thread of the pool, because an input may have 50 MB. */
async function keyOf(workspace: number, input: unknown): Promise<string> {
  const hash = await webcrypto.subtle.digest('SHA-256', serialize(input))
  return `${workspace} ${Buffer.from(hash).toString('base64')}`
}
