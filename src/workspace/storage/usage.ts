/** A workspace's storage usage and its allowance. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'

export const StorageUsage = z
  .object({
    storage_allowance_bytes: z
      .int()
      .meta({ description: 'How many bytes of files the workspace may store.', examples: [5368709120] }),
    storage_used_bytes: z.int().meta({ description: 'How many it stores; the trash does not count.', examples: [48213] }),
  })
  .meta({ id: 'StorageUsage' })

export async function readUsage(ctx: Ctx): Promise<z.input<typeof StorageUsage>> {
  const [storage_allowance_bytes, usage] = await allPipelined(
    allowanceOf(ctx),
    ctx.from('storage_usage').select('used_bytes').executeTakeFirst(),
  )
  return { storage_allowance_bytes, storage_used_bytes: usage?.used_bytes ?? 0 }
}

/**
 * Adds stored bytes to the usage, or subtracts them if negative. Locks the counter until the transaction ends. 422 on `field`
 * with the code STORAGE_QUOTA_EXCEEDED when the allowance would be exceeded; subtracting always succeeds.
 */
export async function countStorage(ctx: Ctx, bytes: number, field: string) {
  if (!bytes) return
  const [{ used_bytes }, allowance] = await allPipelined(
    ctx.tx
      .insertInto('storage_usage')
      .values({ tenant_id: ctx.tenant.id, used_bytes: Math.max(bytes, 0) })
      .onConflict((conflict) =>
        conflict.column('tenant_id').doUpdateSet((eb) => ({ used_bytes: eb('storage_usage.used_bytes', '+', bytes) })),
      )
      .returning('used_bytes')
      .executeTakeFirstOrThrow(),
    allowanceOf(ctx),
  )
  if (bytes < 0 || used_bytes <= allowance) return
  const left = Math.max(allowance - (used_bytes - bytes), 0)
  throw invalid(
    { [field]: `The workspace has ${left} bytes of storage left, and this takes ${bytes}.` },
    { code: 'STORAGE_QUOTA_EXCEEDED' },
  )
}

const allowanceOf = async (ctx: Ctx) => {
  const tenant = await ctx.tx
    .selectFrom('tenants')
    .select('storage_allowance_bytes')
    .where('id', '=', ctx.tenant.id)
    .executeTakeFirstOrThrow()
  return tenant.storage_allowance_bytes
}
