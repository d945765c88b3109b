/** Permissions of children that read strangers' texts, by Node's permission model: the service's code and nothing else of the file system. */
import { realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const project = join(import.meta.dirname, '../../..')
/** The whole project folder would be too much: the data folder with the key lies in it by default. */
const CODE = ['src', 'node_modules', 'package.json'].map((name) => join(project, name))

interface PermissionOptions {
  /** Native libraries, which the permissions don't bind. */
  addons?: boolean
  alsoReadable?: string[]
}

/** Flags of a Node process without network, other programs and any file but the code. A thread of it looks after the parent. */
export const permissionFlags = ({ addons, alsoReadable = [] }: PermissionOptions = {}): string[] => [
  '--permission',
  ...[...CODE, ...alsoReadable].map((path) => `--allow-fs-read=${path}`),
  '--allow-worker',
  ...(addons ? ['--allow-addons'] : []),
]

/** Throws where the data folder lies in what children may read. */
export function assertApartFromCode(dataDir: string) {
  const real = realPath(dataDir)
  const around = CODE.map(realPath).find((path) => real === path || real.startsWith(`${path}${sep}`))
  if (around)
    throw new Error(
      `DATA_DIR: ${dataDir} lies in ${around}, which holds the service's code: processes that read files of strangers may read all of it. Name a folder outside.`,
    )
}

/** The path without symbolic links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}
