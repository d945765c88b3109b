/** Background work. A job's data names its workspace; a schedule runs a job for the platform as a whole. */
import type { z } from 'zod'
import type { Services } from '../context.ts'

export interface Job<D = any> {
  name: string
  data: z.ZodType<D>
  /** Cron expression (UTC). Such a job is sent with empty data. */
  schedule?: string
  /** Tries after the first, with growing pauses. */
  retries?: number
  run(services: Services, data: D): Promise<void>
  /** After the last failed try. */
  failed?(services: Services, data: D, error: Error): Promise<void>
}

export const defineJob = <D>(job: Job<D>): Job<D> => job
