/** Reasons for being late or leaving: an ordered lookup table, in which each kind has an Other that can't be removed (ATT-07). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import { view } from '#kernel/records/view.ts'
import { choice, hardStamps, text, wholeNumber } from '#kernel/values/fields.ts'
import { reasonKinds } from './schema.ts'

const CreateReason = z.object({
  kind: choice(reasonKinds).describe('Whether it is a reason for a late check-in or for a check-out.'),
  name: text(100),
  is_active: z.boolean('Must be true or false.').default(true),
  sort_order: wholeNumber(0, 1_000_000).default(100),
})

const Reason = view('attendance_reasons', 'AttendanceReason', {
  id: z.int(),
  kind: choice(reasonKinds),
  name: z.string(),
  is_other: z.boolean().describe('Whether it stands for everything else: it asks for `reason_notes` and can’t be deleted.'),
  is_active: z.boolean(),
  sort_order: z.int(),
  ...hardStamps,
})

const reasons = lookupTable({
  table: 'attendance_reasons',
  noun: 'attendance reason',
  item: Reason,
  titledWithin: 'kind',
  unique: { attendance_reasons_name: { name: 'Another reason of this kind has this name.' } },
})

const list = listing(reasons, {
  order: { by: ['kind', 'sort_order', 'name'] },
  hardDeleted: true,
  filters: { kind: filter.oneOf('kind', reasonKinds), is_active: filter.flag('is_active') },
})

/** Only the owner and the role admin may change and delete reasons, in addition to the permission (ATT-21). */
function requireAdmin({ actor }: Ctx) {
  if (!actor.isOwner && !actor.roles.includes('admin')) throw forbidden('Only the owner and admins change reasons.')
}

/** Checks the role when a row is locked for a change or deletion, so that a 404 doesn't reveal whether it exists. */
const guarded: typeof reasons = {
  ...reasons,
  async lock(ctx, key) {
    requireAdmin(ctx)
    return reasons.lock(ctx, key)
  },
}

export const reasonRoutes = lookupRoutes(guarded, '/attendance-reasons', {
  list,
  body: CreateReason,
  allow: { view: 'attendance.view', create: 'attendance.update', update: 'attendance.update', delete: 'attendance.update' },
  async update(ctx, reason, body) {
    if (reason.is_other && body.kind !== undefined && body.kind !== reason.kind)
      throw invalid({ kind: 'The reason for everything else keeps its kind.' })
    if (reason.is_other && body.is_active === false) throw invalid({ is_active: 'The reason for everything else stays in use.' })
    return reasons.save(ctx, reason, body)
  },
  async remove(ctx, reason) {
    if (reason.is_other) throw invalid({ attendance_reason: 'The reason for everything else cannot be deleted.' })
    return reasons.remove(ctx, reason)
  },
})

export interface GivenReason {
  reason_id?: number | null
  reason_notes?: string | null
}

/** 422 on `reason_id` unless it is an active reason, of this kind if given; on `reason_notes` if Other has none (ATT-20). */
export async function checkReason(ctx: Ctx, { reason_id, reason_notes }: GivenReason, kind?: (typeof reasonKinds)[number]) {
  if (reason_id == null) return
  const reason = await find(ctx, reason_id)
  if (!reason?.is_active || (kind && reason.kind !== kind))
    throw invalid({ reason_id: `There is no such active reason${kind ? ` of the kind ${kind}` : ''} in this workspace.` })
  if (reason.is_other && !reason_notes?.trim()) throw invalid({ reason_notes: 'Say what the reason is.' })
}

type End = 'check_in' | 'check_out'

/** Returns the end of the day that a reason applies to; undefined without a reason. */
export async function endOf(ctx: Ctx, reason_id: number | null | undefined): Promise<End | undefined> {
  const reason = reason_id == null ? undefined : await find(ctx, reason_id)
  return reason && (reason.kind === 'check_out' ? 'check_out' : 'check_in')
}

/** Returns the columns with the reason of one end of the day. */
export const reasonOf = (end: End, { reason_id, reason_notes }: GivenReason) =>
  end === 'check_in'
    ? { check_in_reason_id: reason_id, check_in_reason_notes: reason_notes }
    : { check_out_reason_id: reason_id, check_out_reason_notes: reason_notes }

const find = (ctx: Ctx, id: number) =>
  ctx.from('attendance_reasons').select(['kind', 'is_other', 'is_active']).where('id', '=', id).executeTakeFirst()
