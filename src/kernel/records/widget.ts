/** Cards on the dashboard: shown whenever their module is entitled and the permission held. */
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

/** A widget in the dashboard's reply. The API documents say of each what `data` is. */
export const WidgetCard = z
  .object({ key: z.string(), title: z.string(), data: z.unknown().describe('What it shows; of which form depends on `key`.') })
  .meta({ id: 'Widget' })

export interface Widget {
  key: string
  title: string
  allow: Permission
  /** How it can be drawn. */
  shape: 'number' | 'series' | 'list'
  /** The schema of its data. */
  reply: z.core.$ZodType
  /** Of a list: which records it shows, and where in the list of all of them they are found. */
  of?: { row: z.core.$ZodType; filters: Record<string, string>; resource: string | undefined }
  data(ctx: Ctx): Promise<unknown>
}

const ROWS = 5

/** The first rows of a list under fixed filters, some of their fields, and how many there are in all. */
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
