/**
 * Backup of a data folder, which is itself a data folder: the embedded database (of a running or stopped service), files and key.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { copyCluster } from '../database/cluster-copy.ts'
import { copyFolder, copyOne, sync } from '../database/copying.ts'
import { startEmbedded } from '../database/embedded.ts'

/** Finished backup. */
export interface Backup {
  folder: string
  /** Size of the database in bytes. */
  bytes: number
  /** Number of uploaded files. */
  files: number
  /** False if the key is in APP_KEY instead of the folder. */
  hasKey: boolean
}

/**
 * Copies a data folder to `target`, which must not exist and appears only when complete. Throws if there is no embedded database.
 * Files are copied before the database and again after it, so that no record in the copy lacks its file.
 */
export async function backUp(dataDir: string, target: string): Promise<Backup> {
  const folder = resolve(target)
  if (!existsSync(join(dataDir, 'postgres'))) throw new Error(`There is no embedded database in ${resolve(dataDir)}.`)
  const source = await realpath(dataDir)
  if (!relative(source, folder).startsWith('..')) throw new Error(`${folder} is inside ${source}: name a folder outside.`)
  if (existsSync(folder)) throw new Error(`${folder} exists already: name a new folder.`)
  await mkdir(dirname(folder), { recursive: true })
  const draft = await mkdtemp(`${folder}.part-`)
  try {
    const copyFiles = () => copyFolder(join(source, 'files'), join(draft, 'files'), (path) => !path.endsWith('.part'))
    const before = await copyFiles()
    const bytes = await copyDatabase(source, join(draft, 'postgres'))
    const after = await copyFiles()
    const key = await copyOne(join(source, 'app.key'), join(draft, 'app.key'))
    await sync(draft)
    await rename(draft, folder)
    await sync(dirname(folder))
    return { folder, bytes, files: before.files + after.files, hasKey: key.files > 0 }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function copyDatabase(dataDir: string, target: string) {
  const server = await startEmbedded({ dataDir }) // joins the server of a running service
  try {
    return await copyCluster(server.adminUrl, join(dataDir, 'postgres'), target)
  } finally {
    await server.leave()
  }
}
