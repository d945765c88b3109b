/**
 * Buffer of clicks, written to the database every tenth of a second. A killed process loses the buffered ones; a stopped one
 * loses none. While the database is unreachable they wait, up to a limit; further clicks are lost, and their number is logged.
 */
import type { Logger } from 'pino'
import type { Database } from '#kernel/database/connect.ts'
import { type Click, isRefused, writeClicks } from './writing.ts'

/** Milliseconds. */
const GATHERED_FOR = 100
const PAUSE_AFTER_FAILURE = 1000
const MAX_AT_ONCE = 2000
/** Some 100 MB at worst, with the longest headers. */
const MAX_WAITING = 100_000
/** Maximum number of workspaces written to concurrently: each takes a connection. */
const WRITERS = 3
/** Number of attempts of a stopping process. */
const LAST_TRIES = 5
const MAX_LETTERS = 500

export function clicksIn(database: Database, log: Logger) {
  let waiting: Click[] = []
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<boolean> | undefined

  const schedule = (pause: number) => {
    timer ??= setTimeout(() => {
      timer = undefined
      write().then(
        (written) =>
          waiting.length && schedule(written ? (waiting.length < MAX_AT_ONCE ? GATHERED_FOR : 0) : PAUSE_AFTER_FAILURE),
      )
    }, pause)
    timer.unref()
  }

  /** Writes a batch of waiting clicks; false where some of it failed and was queued again. */
  const write = () =>
    (writing ??= writeSome().finally(() => {
      writing = undefined
    }))

  async function writeSome() {
    if (lost) log.error({ clicks: lost }, 'clicks lost: more waited than are kept')
    lost = 0
    const batches = [...Map.groupBy(waiting.splice(0, MAX_AT_ONCE), ({ tenantId }) => tenantId)]
    let written = true
    const writer = async () => {
      for (let batch = batches.pop(); batch; batch = batches.pop()) written = (await writeOne(...batch)) && written
    }
    await Promise.all(Array.from({ length: WRITERS }, writer))
    return written
  }

  async function writeOne(tenantId: number, clicks: Click[]) {
    try {
      await database.workspace(tenantId, 'write', (tx) => writeClicks(tx, tenantId, clicks))
    } catch (error) {
      if (isRefused(error)) log.error({ err: error, clicks: clicks.length }, 'clicks lost: the database refuses them')
      else {
        log.warn({ message: (error as Error).message, clicks: clicks.length }, 'clicks could not be written yet')
        waiting = clicks.concat(waiting)
        return false
      }
    }
    return true
  }

  return {
    add(click: Click) {
      if (waiting.length >= MAX_WAITING) return void lost++
      waiting.push({ ...click, referrer: short(click.referrer), userAgent: short(click.userAgent) })
      schedule(GATHERED_FOR)
    },
    /** Writes all waiting clicks, or gives up after some attempts. */
    async stop() {
      clearTimeout(timer)
      for (let tries = 0; (writing || waiting.length) && tries < LAST_TRIES; ) if (!(await write())) tries++
      if (waiting.length) log.error({ clicks: waiting.length }, 'clicks lost: the database can not be reached')
    },
  }
}

/** Copies the text, because a slice of a long one retains all of it in memory. Headers have a byte for each letter. */
const short = (header: string | null) =>
  header && header.length > MAX_LETTERS ? Buffer.from(header, 'latin1').toString('latin1', 0, MAX_LETTERS) : header
