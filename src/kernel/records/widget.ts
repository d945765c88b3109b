/** Dashboard widgets: shown if their module is entitled and the user has the permission. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import type { Permission } from '../names.ts'
import type { Listing } from './listing.ts'
import type { View } from './view.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    widgets?: () => Promise<{ default: Widget[] }>
  }
  interface Modules {
    widgets(): Promise<{ module: Module; widgets: Widget[] }[]>
  }
}

/** A widget in the dashboard's reply. The API documents describe `data` of each widget. */
export const WidgetCard = z
  .object({ key: z.string(), title: z.string(), data: z.unknown().describe('What it shows; of which form depends on `key`.') })
  .meta({ id: 'Widget' })

export interface Widget {
  key: string
  title: string
  allow: Permission
  /** Display form of the widget. */
  shape: 'number' | 'series' | 'list'
  /** Schema of its data. */
  reply: z.core.$ZodType
  /** For a list: the schema of its rows, and the filters and resource of the full list. */
  of?: { row: z.core.$ZodType; filters: Record<string, string>; resource: string | undefined }
  data(ctx: Ctx): Promise<unknown>
}

const ROWS = 5

/** Widget with the first rows of a list under fixed filters, reduced to some fields, and their total number. */
export function listWidget<V extends View, const Shown extends keyof V['shape'] & string>(widget: {
  key: string
  title: string
  allow: Permission
  list: Listing<V, Ctx>
  filters: Record<string, string>
  shows: readonly Shown[]
}): Widget {
  const { list, filters, shows, ...rest } = widget
  const resource = z.globalRegistry.get(list.of.item)?.['x-resource'] as string | undefined
  const row = (list.of.item as z.ZodObject).pick(Object.fromEntries(shows.map((name) => [name, true])) as never)
  return {
    ...rest,
    shape: 'list',
    of: { row, filters, resource },
    reply: z.object({ total_count: z.int(), rows: z.array(row) }),
    async data(ctx) {
      const { rows, total } = await list.rows(ctx, { ...filters, per_page: String(ROWS) })
      const picked = (rows as Record<string, unknown>[]).map((one) => Object.fromEntries(shows.map((name) => [name, one[name]])))
      return { total_count: total, rows: picked }
    },
  }
}
