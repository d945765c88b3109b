/** Saying what is to become of a file: what its columns mean, and the options. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { departmentsManagedBy, usersEmployedIn } from '#workspace/employees/public.ts'
import { type Assignee, eligibleAmong } from '../assignment/eligible.ts'
import type { FieldName, Mapping } from './fields.ts'
import { type Import, refuseStarted, saveImport } from './imports.ts'
import type { ChooseOptions, MapImport } from './schema.ts'

/** What may be said of a lead only by somebody who may assign leads. */
const ASSIGNING: FieldName[] = ['assigned_to', 'commission_rate']

/** PUT /leads/imports/{uuid} (LEAD-62). 422 on `mapping.<field>` for a header that the file hasn't, and without a name. */
export async function mapImport(ctx: Ctx, one: Import, { mapping: sent }: z.output<typeof MapImport>) {
  refuseStarted(one)
  const mapping = Object.fromEntries(Object.entries(sent).filter(([, header]) => header)) as Mapping
  const strange = Object.entries(mapping).filter(([, header]) => !one.headers.includes(header))
  if (strange.length)
    throw invalid(Object.fromEntries(strange.map(([field]) => [`mapping.${field}`, 'Must be one of the file’s column headers.'])))
  if (!mapping.name && !mapping.first_name && !mapping.last_name)
    throw invalid({ 'mapping.name': 'Is required, or first_name or last_name.' })
  if (ASSIGNING.some((field) => mapping[field])) ctx.require('leads.assign')
  await saveImport(ctx, one, { mapping: JSON.stringify(mapping), status: 'mapped' })
}

/** PUT /leads/imports/{uuid}/options (LEAD-64, LEAD-65). */
export async function chooseOptions(ctx: Ctx, one: Import, sent: z.output<typeof ChooseOptions>) {
  refuseStarted(one)
  const { unique_fields, ...modes } = sent
  const changes = { ...modes, ...(unique_fields ? { unique_fields: [...new Set(unique_fields)] } : {}) }
  await refuseUnpermitted(ctx, { ...one, ...changes })
  await saveImport(ctx, one, changes)
}

/** 403 where the actor may not do what the options ask for: asked when they are chosen, when it is run, and by each batch. */
export async function refuseUnpermitted(ctx: Ctx, { duplicate_mode, assignment_mode }: Import) {
  ctx.require('leads.import')
  if (duplicate_mode === 'update') ctx.require('leads.update')
  if (assignment_mode === 'none') return
  ctx.require('leads.assign')
  if (!(await managed(ctx)).length) throw forbidden('Equal distribution is for managers of an active department.')
}

const managed = async (ctx: Ctx) =>
  ctx.actor.id !== null && ctx.entitled('employees') ? departmentsManagedBy(ctx, ctx.actor.id) : []

/** Among whom leads are distributed (LEAD-66): those who are employed in departments that the actor manages and may be given leads. */
export async function membersFor(ctx: Ctx, { assignment_mode }: Import): Promise<(Assignee & { id: number })[]> {
  if (assignment_mode === 'none') return []
  const users = await usersEmployedIn(ctx, await managed(ctx))
  return users.length ? eligibleAmong(ctx, users) : []
}
