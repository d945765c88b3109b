/** A copy of the embedded PostgreSQL's files while it works, by PostgreSQL's own protocol for that (its manual: low-level base backup). */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withClient } from './client.ts'
import { copyFolder, copyOne, sync } from './copying.ts'

/** What a server makes anew at its start. Its folders must be there, empty. */
const MADE_ANEW =
  /^postmaster\.(?:pid|opts)$|(?:^|\/)(?:pg_internal\.init|pgsql_tmp)|^pg_(?:dynshmem|notify|replslot|serial|snapshots|stat_tmp|subtrans|wal)\//

/** Says how far the database has come; copied last, so that it is never ahead of what was copied. */
const CONTROL = 'global/pg_control'

/**
 * Copies a running cluster to `target`. A server that starts on the copy replays the log from the beginning of the copying to its end,
 * and has every transaction that was committed by then. Gives its size in bytes. `adminUrl` is the superuser's.
 */
export const copyCluster = (adminUrl: string, cluster: string, target: string): Promise<number> =>
  withClient(adminUrl, async (client) => {
    // Keeps the log that the copy needs from being recycled. It ends with this connection.
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
