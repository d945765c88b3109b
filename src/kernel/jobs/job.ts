/** Background jobs: their definition and queue options. Jobs run at least once, so each must be safe to repeat. */
import { z } from 'zod'
import type { Actor, Services } from '../context.ts'
import type { Module } from '../modules/module.ts'
import type { SettingKey } from '../names.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    jobs?: () => Promise<{ default: Job[] }>
  }
  interface Modules {
    /** Returns the modules' jobs. The kernel's own jobs have no module and are not included. */
    jobs(): Promise<{ module: Module; job: Job }[]>
  }
}

/** Queue options of a job. Existing queues are updated to them at every start. */
export interface QueueOptions<D = any> {
  /** Maximum number of retries, with increasing pauses from 5 s. Default: 5. */
  retries?: number
  /** Maximum pause between two tries, in seconds. Default: 3600. */
  longestPauseSeconds?: number
  /**
   * Number of jobs that a process runs at once. Default: 1. With three or more, one workspace gets at most all but one, over all
   * processes.
   */
  concurrency?: number
  /** Time after which a try counts as failed, in seconds. Default: 900. */
  expireSeconds?: number
  /** Maximum time that a job waits before it is dropped, in days. Default: 14. */
  retentionDays?: number
  /**
   * Limits jobs of the same key, across all processes. `waiting`: one waits, further ones are dropped. `running`: one runs,
   * others wait, and the next may start up to two minutes late. `both`: both limits.
   */
  unique?: 'waiting' | 'running' | 'both'
  /** Returns the key for `unique`, within the workspace. Default: one key for all jobs. */
  key?(data: D): string | number
}

/** Job as stored in the queue. */
export interface Message<D = any> {
  data: D
  tenant_id?: number
  /** User on whose behalf it runs; absent or null for the system. */
  actor_id?: number | null
  /** Account that impersonated this user when the job was sent. */
  impersonator?: Actor['impersonator']
  /** API key that the user sent it with. */
  key_id?: number | null
  /** Earliest start, by the services' clock. */
  due?: string
}

/** Attempt to run a job. */
export interface Attempt {
  /** Aborted when the process is about to stop, or when another worker has taken the job over. */
  signal: AbortSignal
  /** Module that the job belongs to; undefined for the kernel's own jobs. */
  module: Module | undefined
}

/** Reason why a job ended without doing its work. It isn't retried. */
export interface Ended {
  ended: string
}

interface AnyJob<D> extends QueueOptions<D> {
  /** Unique over all modules; starts with the module's key: `leads-import`. */
  name: string
  data: z.core.$ZodType<D>
  /** Cron expression (UTC). Scheduled jobs are sent with empty data. */
  schedule?: string
  /** Called by the queue. Does the work, or returns why there was none. */
  handle(services: Services, message: Message<D>, attempt: Attempt): Promise<Ended | undefined>
  /** Called by the queue after the last failed try, or after the last try whose worker was lost. */
  onExhausted?(services: Services, message: Message<D>, error: Error): Promise<void>
  /** Set for a job that counts lost workers itself and continues where it stopped: a lost try doesn't exhaust it. */
  resumable?: true
}

/** Daily schedule in the workspace's local time: a fixed time, or a setting's value (HH:MM; null for never). */
export type Daily = { at: string } | { setting: SettingKey }

/** Job that runs on the platform. */
export interface PlatformJob<D = any> extends AnyJob<D> {
  of: 'platform'
  /**
   * Workspace whose share of the queue the job uses (fair-order.ts); 0 is the platform. Default: none, it waits for no other job.
   */
  workspaceOf?(data: D): number
}

/** Job that runs in a workspace, as the system or as the user that enqueued it. */
export interface WorkspaceJob<D = any> extends AnyJob<D> {
  of: 'workspace'
  as: 'system' | 'sender'
  /** Daily schedule in each workspace that has the module, in addition to `schedule`. */
  daily?: Daily
}

export type Job<D = any> = PlatformJob<D> | WorkspaceJob<D>

interface PlatformJobSpec<D> extends QueueOptions<D> {
  name: string
  data?: z.core.$ZodType<D>
  schedule?: string
  workspaceOf?(data: D): number
  run(services: Services, data: D, attempt: Attempt): Promise<void>
  /** Called after the last failed try. */
  failed?(services: Services, data: D, error: Error): Promise<void>
}

/** Defines a job of the platform. It gets the services, has no workspace, and opens its own transactions. */
export function defineJob<D = Record<string, never>>(spec: PlatformJobSpec<D>): PlatformJob<D> {
  const { run, failed, data = noData<D>(), ...options } = spec
  return {
    ...options,
    of: 'platform',
    data,
    async handle(services, message, attempt) {
      await run(services, message.data, attempt)
      return undefined
    },
    onExhausted: async (services, message, error) => failed?.(services, message.data, error),
  }
}

/** Returns the schema of jobs without data. */
export const noData = <D>() => z.object({}) as unknown as z.core.$ZodType<D>
