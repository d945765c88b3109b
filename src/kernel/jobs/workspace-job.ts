/** Jobs of a workspace: the data names it by itself, and the work gets its ctx. */
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
  /** In each workspace that has the module: on a cron expression (UTC). */
  schedule?: string
  /** In each workspace that has the module: once a local day, at a local time or as soon as possible after it. */
  daily?: Daily
  /**
   * `system` (the default), or `sender`: on behalf of whoever sent it, with the rights that they have when it runs. Once they
   * are gone or suspended, it ends without work.
   */
  as?: 'system' | 'sender'
  /** Also in a workspace that is archived or suspended, or that hasn't the module any more. */
  always?: boolean
  /** In a write transaction, as the system, after the last failed try. */
  failed?(ctx: Ctx, data: D, error: Error): Promise<void>
} & (
    | {
        /** One transaction around it. */ transactions?: 'write' | 'read'
        run(ctx: Ctx, data: D, attempt: Attempt): Promise<void>
      }
    | { /** It opens its own. */ transactions: 'own'; run(steps: WorkspaceSteps, data: D, attempt: Attempt): Promise<void> }
  )

/** A job that runs inside a workspace. */
export function defineWorkspaceJob<D = Record<string, never>>(spec: WorkspaceJobSpec<D>): WorkspaceJob<D> {
  const { run: _, failed, transactions: mode = 'write', always, as = 'system', data = noData<D>(), ...options } = spec
  const { daily } = options
  if (daily && 'at' in daily && !/^([01]\d|2[0-3]):[0-5]\d$/.test(daily.at))
    throw new Error(`${spec.name}: ${daily.at} is no HH:MM`)
  return {
    // A job that comes round again waits once for each workspace, so that slow workers don't let it pile up.
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

/** Transactions of a job in its workspace, each opened when it is asked for. */
export function stepsIn(services: Services, session: Session): WorkspaceSteps {
  const origin = originOf(services)
  return stepsOf(origin, (mode, work) => inWorkspace(origin, session, mode, work), workspaceAbilities(origin, session))
}
