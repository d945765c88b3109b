/** Node permission flags of children that parse untrusted texts: read access to the service's code, and nothing else. */
import { codeFiles } from '../folders.ts'

interface PermissionOptions {
  /** Allows native libraries, which the permissions don't restrict. */
  addons?: boolean
  alsoReadable?: string[]
}

/**
 * Returns flags of a Node process without network, other programs, or any file but the code. Worker threads are allowed for
 * watching the parent.
 */
export const permissionFlags = ({ addons, alsoReadable = [] }: PermissionOptions = {}): string[] => [
  '--permission',
  ...[...codeFiles, ...alsoReadable].map((path) => `--allow-fs-read=${path}`),
  '--allow-worker',
  ...(addons ? ['--allow-addons'] : []),
]
