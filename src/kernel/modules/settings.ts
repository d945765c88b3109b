/** Settings of a workspace: declared in manifests, stored only when changed. */
import { z } from 'zod'
import type { Tx } from '../database/connect.ts'
import type { WorkspaceSettings } from '../names.ts'
import type { Modules } from './module.ts'

/** Returns all settings with their stored values or defaults. A stored value that is no longer valid reads as the default. */
export async function readSettings(tx: Tx, tenantId: number, modules: Modules): Promise<WorkspaceSettings> {
  const rows = await tx.selectFrom('workspace_settings').select(['key', 'value']).where('tenant_id', '=', tenantId).execute()
  const stored = new Map(rows.map((row) => [row.key, row.value]))
  const values: Record<string, unknown> = {}
  for (const [key, setting] of modules.settings) {
    const value = z.safeParse(setting.schema, stored.get(key))
    values[key] = stored.has(key) && value.success ? value.data : setting.default
  }
  return values as unknown as WorkspaceSettings
}
