/** Deletes unused files: discarded ones whose removal failed, and pending ones whose request died. */
import { sql } from 'kysely'
import type { Services } from '../context.ts'
import { defineJob } from '../jobs/job.ts'
import { plusSeconds } from '../values/time.ts'
import { markDiscarded, removeFile } from './uploads.ts'

/** Longer than any request. A slower upload is rejected when it is kept. */
const PENDING_SECONDS = 6 * 3600
const BATCH = 100

export const sweepFiles = defineJob({
  name: 'sweep-files',
  schedule: '41 * * * *',
  run: removeLooseFiles,
})

/** Deletes unused files in batches. A failure doesn't stop the others; the last error is thrown at the end. */
export async function removeLooseFiles(services: Services) {
  const before = plusSeconds(services.clock.now(), -PENDING_SECONDS)
  let failure: unknown
  let last = { tenant_id: -1, key: '' }
  for (let found = BATCH; found === BATCH; ) {
    const loose = await services.database.platform('read', (tx) =>
      tx
        .selectFrom('stored_files')
        .select(['tenant_id', 'key', 'state'])
        .where(sql<boolean>`(tenant_id, key) > (${last.tenant_id}, ${last.key})`)
        .where('state', '<>', 'kept') // condition of the partial index
        .where((or) => or.or([or('state', '=', 'discarded'), or('created_at', '<', before)]))
        .orderBy('tenant_id')
        .orderBy('key')
        .limit(BATCH)
        .execute(),
    )
    for (const { tenant_id, key, state } of loose)
      try {
        if (state === 'discarded' || (await markDiscarded(services, tenant_id, key))) await removeFile(services, tenant_id, key)
      } catch (error) {
        failure = error // other files go on
      }
    found = loose.length
    last = loose.at(-1) ?? last
  }
  if (failure) throw failure
}
