/** Background work: what a job is, and how its queue treats it. Jobs run at least once, so each must be safe to repeat. */
import { z } from 'zod'
import type { Actor, Services } from '../context.ts'
import type { Module } from '../modules/module.ts'
import type { SettingKey } from '../names.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    jobs?: () => Promise<{ default: Job[] }>
  }
  interface Modules {
    /** The modules' jobs; those of the kernel have no module and are not among them. */
    jobs(): Promise<{ module: Module; job: Job }[]>
  }
}

/** How a queue treats its jobs. Existing queues are brought up to date with it at every start. */
export interface QueueOptions<D = any> {
  /** Tries after the first, with pauses that grow from 5 s on. Default: 5. */
  retries?: number
  /** Between two tries, which come ever later; an hour unless said. */
  longestPauseSeconds?: number
  /** How many a process works on at once. Default: 1. Of three or more, a workspace has all but one at most, over all processes. */
  concurrency?: number
  /** A try that takes longer counts as failed. Default: 900. */
  expireSeconds?: number
  /** How long a job may wait before it is dropped, in days. Default: 14. */
  retentionDays?: number
  /**
   * What there is one of for each key: one that waits (another that is sent meanwhile is dropped), one that runs (the others
   * wait; the next may begin up to two minutes late), or both. Counted over all processes.
   */
  unique?: 'waiting' | 'running' | 'both'
  /** The key that `unique` speaks of, within the workspace. Default: the same for all. */
  key?(data: D): string | number
}

/** What the queue stores of a job that was sent. */
export interface Message<D = any> {
  data: D
  tenant_id?: number
  /** On whose behalf; absent or null: the system. */
  actor_id?: number | null
  /** Who worked as that user when it was sent. */
  impersonator?: Actor['impersonator']
  /** The API key by which that user sent it. */
  key_id?: number | null
  /** The instant, by the services' clock, before which it must not begin. */
  due?: string
}

/** One try. */
export interface Attempt {
  /** Aborted when the process is about to stop, or when another worker has taken the job over. */
  signal: AbortSignal
  /** The module that the job belongs to; undefined for the kernel's own. */
  module: Module | undefined
}

/** Why a job ended without doing its work. It isn't tried again. */
export interface Ended {
  ended: string
}

interface AnyJob<D> extends QueueOptions<D> {
  /** Unique over all modules; begin it with the module's key: `leads-import`. */
  name: string
  data: z.core.$ZodType<D>
  /** Cron expression (UTC). Such a job is sent with empty data. */
  schedule?: string
  /** Called by the queue: does the work, or says why there was none. */
  handle(services: Services, message: Message<D>, attempt: Attempt): Promise<Ended | undefined>
  /** Called by the queue after the last failed try, and after the last one whose worker was lost. */
  onExhausted?(services: Services, message: Message<D>, error: Error): Promise<void>
  /** It counts lost workers itself, and goes on where they were: a lost try is no reason to give up. */
  resumable?: true
}

/** Every day at a local time of the workspace: a fixed one, or the one that a setting holds (HH:MM; null for never). */
export type Daily = { at: string } | { setting: SettingKey }

export interface PlatformJob<D = any> extends AnyJob<D> {
  of: 'platform'
  /** The workspace whose turn in the queue it takes (fair-order.ts); 0 is the platform. Default: nobody's, it waits for none. */
  workspaceOf?(data: D): number
}

export interface WorkspaceJob<D = any> extends AnyJob<D> {
  of: 'workspace'
  as: 'system' | 'sender'
  /** Besides `schedule`: in each workspace that has the module. */
  daily?: Daily
}

export type Job<D = any> = PlatformJob<D> | WorkspaceJob<D>

interface PlatformJobSpec<D> extends QueueOptions<D> {
  name: string
  data?: z.core.$ZodType<D>
  schedule?: string
  workspaceOf?(data: D): number
  run(services: Services, data: D, attempt: Attempt): Promise<void>
  /** After the last failed try. */
  failed?(services: Services, data: D, error: Error): Promise<void>
}

/** A job of the platform: it is given the services, sees no workspace by itself, and opens its own transactions. */
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

/** The schema of jobs that carry nothing. */
export const noData = <D>() => z.object({}) as unknown as z.core.$ZodType<D>
