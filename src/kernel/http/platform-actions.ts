/** Routes that do something with one record of the platform: suspend a user, archive a workspace. */
import type { PlatformCtx } from '../context.ts'
import type { PlatformPermission } from '../names.ts'
import type { JsonText, View } from '../records/view.ts'
import type { Limiter } from './limits.ts'
import { platform, type Route } from './route.ts'

/** What a platformResource knows of its records, as far as it matters here. */
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
  /** How the record is found and locked. Default: where it is live. */
  record?: Records<R>['lock']
}

/** Makes POSTs that do something with a record, found and locked, and answer it. */
export const actionsOn =
  <R extends { id: number }>(records: Records<R>) =>
  (path: `/:id/${string}`, spec: ActionSpec<R>, verb: (ctx: PlatformCtx, record: R) => Promise<unknown>): Route =>
    platform.post(path, { record: records.lock, ...spec, reply: records.detail }, async (ctx, { record }) => {
      await verb(ctx, record)
      return records.shown(ctx, record.id)
    })
