/** `npm run job`: runs one job at once in this process, bypassing the queue. For debugging jobs: docs/debugging.md. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Config } from '#kernel/config.ts'
import type { Services } from '#kernel/context.ts'
import type { Job } from '#kernel/jobs/job.ts'
import type { Module } from '#kernel/modules/module.ts'
import { kernelJobs } from '#kernel/process/services.ts'
import { startServices } from '#kernel/process/start.ts'

const usage = `npm run job -- <name> [--workspace SLUG] [--user ID] [--data JSON]
  --workspace  where it works; a job of the platform needs none
  --user       on whose behalf; else the system's
  --data       what it is given, {} unless said otherwise
npm run job      names all jobs`

export async function job(args: string[], config: Config) {
  const options = readOptions(args)
  const services = await startServices(config, { worker: false, command: true })
  try {
    const { name } = options
    if (name === undefined)
      return console.log((await allJobs(services)).map(({ job }) => `${job.of.padEnd(10)}${job.name}`).join('\n'))
    const ended = await runJob(services, { ...options, name })
    console.log(ended ? `${name} ended: ${ended}` : `${name} is done.`)
  } finally {
    await services.stop()
  }
}

interface Options {
  name?: string
  workspace?: string
  user?: number
  data: unknown
}

function readOptions(args: string[]): Options {
  const option = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args,
    options: { workspace: option, user: option, data: option },
    allowPositionals: true,
  })
  if (positionals.length > 1) throw new Error(`Name one job.\n${usage}`)
  const user = values.user === undefined ? undefined : Number(values.user)
  if (user !== undefined && !Number.isSafeInteger(user)) throw new Error(`--user must be the id of a user.\n${usage}`)
  try {
    return { name: positionals[0], workspace: values.workspace, user, data: JSON.parse(values.data ?? '{}') }
  } catch {
    throw new Error(`--data must be JSON, such as '{"id": 1}'.\n${usage}`)
  }
}

/** Runs a job. Returns the reason if it ended without doing its work; undefined otherwise. */
export async function runJob(
  services: Services,
  { name, workspace, user, data }: Options & { name: string },
): Promise<string | undefined> {
  const found = (await allJobs(services)).find(({ job }) => job.name === name)
  if (!found) throw new Error(`There is no job ${name}: npm run job names them all.`)
  const { job, module } = found
  if (job.of === 'workspace' && !workspace) throw new Error(`${name} works in a workspace: name one with --workspace.`)
  if (job.of === 'workspace' && job.as === 'sender' && user === undefined)
    throw new Error(`${name} works on behalf of a user: name one with --user.`)
  const parsed = z.safeParse(job.data, data)
  if (!parsed.success) throw new Error(`--data is not what ${name} takes:\n${z.prettifyError(parsed.error)}`)
  const tenant_id = workspace === undefined ? undefined : await workspaceOf(services, workspace)
  const never = new AbortController().signal
  const result = await job.handle(services, { data: parsed.data, tenant_id, actor_id: user }, { signal: never, module })
  return result?.ended
}

const allJobs = async ({ modules }: Services): Promise<{ job: Job; module?: Module }[]> => [
  ...kernelJobs.map((job) => ({ job })),
  ...(await modules.jobs()),
]

async function workspaceOf({ database }: Services, slug: string) {
  const row = await database.platform('read', (tx) =>
    tx.selectFrom('tenants').select('id').where('slug', '=', slug).executeTakeFirst(),
  )
  if (!row) throw new Error(`There is no workspace ${slug}.`)
  return row.id
}
