/** Moves shards of a cluster, one command at a time. */
import type pg from 'pg'
import { withClient } from './client.ts'

/** Application name of the command's connection, which distinguishes it from the service's. */
const NAME = 'shards'

/** Runs work on a separate connection and under a lock, so that no other process does such work. Throws if the lock is taken. */
export const alone = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(
    url,
    async (client) => {
      if (!(await takeLock(client)))
        throw new Error('Tables or shards of this database are being moved already: wait for that command to end.')
      return work(client)
    },
    NAME,
  )

async function takeLock(client: pg.Client) {
  const { rows } = await client.query<{ free: boolean }>(
    "SELECT pg_try_advisory_lock(hashtextextended('atrium shards', 0)) AS free",
  )
  return rows[0]!.free
}

/** Workspace tables whose policies don't apply to their owner, left by a killed move. */
const UNFORCED = `SELECT c.oid::regclass::text AS name FROM table_layouts l JOIN pg_class c ON c.oid = to_regclass('public.' || quote_ident(l.name))
  JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = 'workspace' WHERE c.relrowsecurity AND NOT c.relforcerowsecurity AND c.relname <> 'tenants'`

/** Applies the policies of workspace tables to their owner again; returns the number of tables. */
export async function forcePolicies(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(UNFORCED)
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`)
  return rows.length
}

/**
 * Runs moves while the policies don't apply to the tables' owner, as logical replication requires; request roles stay bound. The
 * policies are restored afterwards in any case; if the process was killed, by the next start of the service.
 */
async function unbound<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid WHERE partmethod = 'h' AND relforcerowsecurity`,
  )
  try {
    for (const { name } of rows) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`)
    return await work()
  } finally {
    await forcePolicies(client)
  }
}

/** Table that represents all workspace tables, which have the same shards. */
const TABLE = 'users'

/**
 * Moves shards until the nodes have equal shares; returns the number of moves. The service keeps running; it is blocked for a
 * moment at the end of each move.
 */
export const rebalance = (url: string, say: (text: string) => void): Promise<number> =>
  alone(url, (client) =>
    unbound(client, async () => {
      await refuseIncomplete(client)
      const { rows: moves } = await client.query<{
        shardid: string
        sourcename: string
        sourceport: number
        targetname: string
        targetport: number
      }>('SELECT * FROM get_rebalance_table_shards_plan() WHERE table_name = $1::regclass', [TABLE])
      for (const [n, { shardid, sourcename, sourceport, targetname, targetport }] of moves.entries()) {
        say(`${n + 1} of ${moves.length}: from ${sourcename}:${sourceport} to ${targetname}:${targetport}`)
        await client.query("SELECT citus_move_shard_placement($1, $2, $3, $4, $5, 'auto')", [
          shardid,
          sourcename,
          sourceport,
          targetname,
          targetport,
        ])
      }
      return moves.length
    }),
  )

/**
 * Gives a workspace, by its slug, a separate shard, so that it can be moved alone; returns the node that has it. Writes to
 * workspaces of the former shard wait until then, or fail with a 503.
 */
export const isolate = (url: string, slug: string): Promise<string> =>
  alone(url, async (client) => {
    const id = await workspaceId(client, slug)
    await unbound(client, async () => {
      if (await isAlone(client, id)) return
      await client.query(
        "SELECT isolate_tenant_to_new_shard($1::regclass, $2::bigint, 'CASCADE', shard_transfer_mode => 'block_writes')",
        [TABLE, id],
      )
    })
    const { rows } = await client.query<{ machine: string }>(
      `SELECT nodename || ':' || nodeport AS machine FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
       WHERE shardid = get_shard_id_for_distribution_column($1::regclass, $2::bigint) AND noderole = 'primary'`,
      [TABLE, id],
    )
    return rows[0]!.machine
  })

async function workspaceId(client: pg.Client, slug: string) {
  await client.query('BEGIN')
  await client.query('SET LOCAL ROLE app_platform')
  const { rows } = await client.query<{ id: string }>('SELECT id FROM tenants WHERE slug = $1', [slug])
  await client.query('COMMIT')
  if (!rows[0]) throw new Error(`There is no workspace ${slug}.`)
  return rows[0].id
}

/** Whether the workspace's shard covers a single hash value. */
async function isAlone(client: pg.Client, id: string) {
  const { rowCount } = await client.query(
    `SELECT FROM pg_dist_shard WHERE shardid = get_shard_id_for_distribution_column($1::regclass, $2::bigint) AND shardminvalue = shardmaxvalue`,
    [TABLE, id],
  )
  return Boolean(rowCount)
}

/** Restores policies after a killed move, at startup. Leaves a running move alone. */
export const settleMoves = (url: string): Promise<number> =>
  withClient(url, async (client) => ((await takeLock(client)) ? forcePolicies(client) : 0), NAME)

/** Throws if a new node has no copy of the reference tables; only a superuser can create it. */
async function refuseIncomplete(client: pg.Client) {
  const { rowCount } = await client.query(
    `SELECT FROM pg_dist_node n WHERE n.isactive AND n.noderole = 'primary' AND NOT EXISTS (
       SELECT FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid) WHERE s.logicalrelid = 'tenants'::regclass AND p.groupid = n.groupid)`,
  )
  if (rowCount)
    throw new Error(
      "A machine has no copy of the platform's tables yet: as a superuser, SELECT replicate_reference_tables('block_writes').",
    )
}
