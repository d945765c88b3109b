/** Permissions of children that read strangers' texts, by Node's permission model: the service's code and nothing else of the file system. */
import { codeFiles } from '../folders.ts'

interface PermissionOptions {
  /** Native libraries, which the permissions don't bind. */
  addons?: boolean
  alsoReadable?: string[]
}

/** Flags of a Node process without network, other programs and any file but the code. A thread of it looks after the parent. */
export const permissionFlags = ({ addons, alsoReadable = [] }: PermissionOptions = {}): string[] => [
  '--permission',
  ...[...codeFiles, ...alsoReadable].map((path) => `--allow-fs-read=${path}`),
  '--allow-worker',
  ...(addons ? ['--allow-addons'] : []),
]
