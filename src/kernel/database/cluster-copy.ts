/** Copies the files of the running embedded PostgreSQL with a low-level base backup (see PostgreSQL's manual). */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withClient } from './client.ts'
import { copyFolder, copyOne, sync } from './copying.ts'

/** Files that a server recreates at startup. Their folders must exist, empty. */
const MADE_ANEW =
  /^postmaster\.(?:pid|opts)$|(?:^|\/)(?:pg_internal\.init|pgsql_tmp)|^pg_(?:dynshmem|notify|replslot|serial|snapshots|stat_tmp|subtrans|wal)\//

/** Records the database's state; copied last, so that it is never ahead of the other files. */
const CONTROL = 'global/pg_control'

/**
 * Copies a running cluster to `target`, and returns the size in bytes. A server started on the copy replays the log written
 * during the copying, and then has every transaction committed by its end. `adminUrl` is the superuser's.
 */
export const copyCluster = (adminUrl: string, cluster: string, target: string): Promise<number> =>
  withClient(adminUrl, async (client) => {
    // Prevents the log that the copy needs from being recycled. The slot is dropped with this connection.
    await client.query(`SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`)
    const { rows: begun } = await client.query<{ segment: string }>(
      `SELECT pg_walfile_name(pg_backup_start('backup', true)) AS segment`,
    )
    const { bytes } = await copyFolder(cluster, target, (path) => path !== CONTROL && !MADE_ANEW.test(path))
    await copyOne(join(cluster, CONTROL), join(target, CONTROL))
    const { rows: ended } = await client.query<{ segment: string; labelfile: string }>(
      'SELECT pg_walfile_name(lsn) AS segment, labelfile FROM pg_backup_stop(false)',
    )
    const [first, last] = [begun[0]!.segment, ended[0]!.segment]
    await writeFile(join(target, 'backup_label'), ended[0]!.labelfile, { mode: 0o600, flush: true })
    const log = await copyFolder(join(cluster, 'pg_wal'), join(target, 'pg_wal'), (name) => first <= name && name <= last)
    for (const folder of [dirname(join(target, CONTROL)), target]) await sync(folder)
    return bytes + log.bytes
  })
