import type { Ctx } from '../context.ts'
import type { Permission } from './module.ts'

/** A card on the dashboard: shown whenever its module is entitled and the permission held. */
export interface Widget {
  key: string
  title: string
  allow: Permission
  data(ctx: Ctx): Promise<{ total_count: number; rows: unknown[] }>
}

export const defineWidget = (widget: Widget) => widget
