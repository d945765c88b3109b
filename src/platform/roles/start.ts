/** Assigns an id to every new permission at each start. */
import type { Services } from '#kernel/context.ts'
import { permissionNames } from './permissions.ts'

export default async function numberPermissions({ database, modules }: Services) {
  await database.platform('write', async (tx) => {
    const numbered = new Set((await tx.selectFrom('platform_permissions').select('name').execute()).map(({ name }) => name))
    const missing = permissionNames(modules).filter((name) => !numbered.has(name))
    if (!missing.length) return
    await tx
      .insertInto('platform_permissions')
      .values(missing.map((name) => ({ name })))
      .onConflict((conflict) => conflict.doNothing()) // another process is starting
      .execute()
  })
}
