/** At each start: keeps the catalogue in step with the code: a manifest is an available module; a key without code can only be planned. */
import type { Services } from '#kernel/context.ts'
import { plannedModules } from './planned.ts'

/** Upserts every workspace module that can be installed. What the operator sets (prices, status) is left as it is. */
export default async function syncCatalogue({ database, modules, clock }: Services) {
  const now = clock.now()
  const coded = [...modules.workspace.values()].filter((module) => !module.core)
  const rows = [
    ...coded.map((module) => ({
      key: module.key,
      name: module.title,
      description: module.description ?? null,
      version: module.version ?? '1.0.0',
      availability: 'available' as const,
      requires: module.requires ?? [],
      is_default_included: module.defaultIncluded ?? false,
    })),
    ...plannedModules
      .filter(({ key }) => !modules.workspace.has(key))
      .map((planned) => ({
        ...planned,
        description: null,
        availability: 'planned' as const,
        requires: [],
        is_default_included: false,
      })),
  ].map((row) => ({ ...row, created_at: now, updated_at: now }))

  await database.platform('write', async (tx) => {
    const known = await tx.selectFrom('modules').select(['key', 'name', 'version', 'availability', 'requires']).execute()
    const same = (row: (typeof rows)[number]) =>
      known.some(
        (k) =>
          k.key === row.key &&
          k.name === row.name &&
          k.version === row.version &&
          k.availability === row.availability &&
          String(k.requires) === String(row.requires),
      )
    const changed = rows.filter((row) => !same(row))
    if (!changed.length) return
    await tx
      .insertInto('modules')
      .values(changed)
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet((eb) => ({
          name: eb.ref('excluded.name'),
          description: eb.ref('excluded.description'),
          version: eb.ref('excluded.version'),
          availability: eb.ref('excluded.availability'),
          requires: eb.ref('excluded.requires'),
          updated_at: eb.ref('excluded.updated_at'),
        })),
      )
      .execute()
  })
}
