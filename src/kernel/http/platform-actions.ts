/** Routes for actions on a single record of the platform: suspend a user, archive a workspace. */
import type { PlatformCtx } from '../context.ts'
import type { PlatformPermission } from '../names.ts'
import type { JsonText, View } from '../records/view.ts'
import type { Limiter } from './limits.ts'
import { platform, type Route } from './route.ts'

/** Properties of a platformResource that are needed here. */
interface Records<R> {
  detail: View
  lock(ctx: PlatformCtx, id: number): Promise<R>
  shown(ctx: PlatformCtx, id: number): Promise<JsonText>
}

interface ActionSpec<R> {
  allow: PlatformPermission
  message: string
  description?: string
  limit?: Limiter
  /** Finds and locks the record. Default: only live records. */
  record?: Records<R>['lock']
}

/** Returns a maker of POST routes that lock a record, run an action on it, and return the record. */
export const actionsOn =
  <R extends { id: number }>(records: Records<R>) =>
  (path: `/:id/${string}`, spec: ActionSpec<R>, verb: (ctx: PlatformCtx, record: R) => Promise<unknown>): Route =>
    platform.post(path, { record: records.lock, ...spec, reply: records.detail }, async (ctx, { record }) => {
      await verb(ctx, record)
      return records.shown(ctx, record.id)
    })
