/** Jobs of a workspace, which run with its context. */
import type { z } from 'zod'
import {
  type Ctx,
  inWorkspace,
  originOf,
  type Services,
  type Session,
  stepsOf,
  type WorkspaceSteps,
  workspaceAbilities,
} from '../context.ts'
import { sessionFor } from './entering.ts'
import { type Attempt, type Daily, type Ended, type Message, noData, type QueueOptions, type WorkspaceJob } from './job.ts'

type WorkspaceJobSpec<D> = QueueOptions<D> & {
  name: string
  data?: z.core.$ZodType<D>
  /** Cron expression (UTC) on which the job runs in each workspace that has the module. */
  schedule?: string
  /** Local time at which the job runs once a day, or as soon as possible after it, in each workspace that has the module. */
  daily?: Daily
  /**
   * `system` (the default) or `sender`: the sending user, with their permissions at run time. If the user is gone or suspended,
   * the job ends without work.
   */
  as?: 'system' | 'sender'
  /** Runs also in a workspace that is archived or suspended, or no longer has the module. */
  always?: boolean
  /** Called in a write transaction as the system, after the last failed try. */
  failed?(ctx: Ctx, data: D, error: Error): Promise<void>
} & (
    | {
        /** `run` has one transaction around it. */ transactions?: 'write' | 'read'
        run(ctx: Ctx, data: D, attempt: Attempt): Promise<void>
      }
    | { /** `run` opens its own. */ transactions: 'own'; run(steps: WorkspaceSteps, data: D, attempt: Attempt): Promise<void> }
  )

/** Defines a job that runs in a workspace. */
export function defineWorkspaceJob<D = Record<string, never>>(spec: WorkspaceJobSpec<D>): WorkspaceJob<D> {
  const { run: _, failed, transactions: mode = 'write', always, as = 'system', data = noData<D>(), ...options } = spec
  const { daily } = options
  if (daily && 'at' in daily && !/^([01]\d|2[0-3]):[0-5]\d$/.test(daily.at))
    throw new Error(`${spec.name}: ${daily.at} is no HH:MM`)
  return {
    // At most one job of a schedule waits for each workspace, so that slow workers don't cause a pile-up.
    ...(options.schedule || options.daily ? { unique: 'waiting' } : {}),
    ...options,
    of: 'workspace',
    as,
    data,
    async handle(services, message, attempt): Promise<Ended | undefined> {
      const session = await sessionFor(services, message, attempt.module, always)
      if ('ended' in session) return session
      const steps = stepsIn(services, session)
      if (spec.transactions === 'own') await spec.run(steps, message.data, attempt)
      else await steps[mode === 'read' ? 'read' : 'write']((ctx) => spec.run(ctx, message.data, attempt))
      return undefined
    },
    async onExhausted(services, { tenant_id, data }: Message<D>, error) {
      if (!failed) return
      const session = await sessionFor(services, { tenant_id }, undefined, true)
      if (!('ended' in session)) await stepsIn(services, session).write((ctx) => failed(ctx, data, error))
    },
  }
}

/** Returns the steps of a job in its workspace. Each opens its own transaction. */
export function stepsIn(services: Services, session: Session): WorkspaceSteps {
  const origin = originOf(services)
  return stepsOf(origin, (mode, work) => inWorkspace(origin, session, mode, work), workspaceAbilities(origin, session))
}
