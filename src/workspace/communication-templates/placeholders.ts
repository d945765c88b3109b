/** Placeholders of a template's text: their list, their values, and filling them in. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { firstName, type Shown } from '#kernel/modules/placeholders.ts'
import { contextOf } from './contexts.ts'
import type { Placeholder } from './schema.ts'

/** Values by key; null or missing for none. */
export type Values = Record<string, string | null>

/** Placeholders of every context in addition to its own (TPL-12). */
const shared = [
  { key: 'agent.name', label: 'Agent', group: 'agent', description: 'Name of whoever sends it', sample: 'Ana Costa' },
  {
    key: 'agent.first_name',
    label: "Agent's first name",
    group: 'agent',
    description: 'The name up to its first space',
    sample: 'Ana',
  },
  {
    key: 'agent.email',
    label: "Agent's e-mail",
    group: 'agent',
    description: 'E-mail address of whoever sends it',
    sample: 'ana@example.com',
  },
  { key: 'workspace.name', label: 'Workspace', group: 'workspace', description: 'Name of the workspace', sample: 'Costa Living' },
  {
    key: 'workspace.company_name',
    label: 'Firm',
    group: 'workspace',
    description: 'Name of the firm',
    sample: 'Costa Living Lda',
  },
  {
    key: 'workspace.email',
    label: "Firm's e-mail",
    group: 'workspace',
    description: 'E-mail address of the firm',
    sample: 'hello@costa.example',
  },
  {
    key: 'workspace.phone',
    label: "Firm's phone",
    group: 'workspace',
    description: 'Phone number of the firm',
    sample: '+351 210 000 001',
  },
  { key: 'system.date', label: 'Date', group: 'system', description: "Today's date", sample: 'Mar 1, 2027' },
  { key: 'system.time', label: 'Time', group: 'system', description: 'The time by now', sample: '9:30 AM' },
] satisfies Placeholder[]

/** Returns the placeholders of a context, its own first. */
export function placeholdersOf(context: string): Placeholder[] {
  const own = Object.entries(contextOf(context).fields).map(([name, { label, description, sample }]) => ({
    key: `${context}.${name}`,
    label,
    group: context,
    description,
    sample,
  }))
  return [...own, ...shared]
}

/** `{{lead.name}}`, or with a fallback if there is no value: `{{lead.first_name|there}}`. */
const TOKEN = /\{\{([^{}|]*)(?:\|([^{}|]*))?\}\}/g

/** 422 on `body` for a token unknown to the context, which the message names, or with invalid syntax (TPL-06, TPL-07). */
export function checkTokens(body: string, context: string) {
  const known = new Set(placeholdersOf(context).map(({ key }) => key))
  const unknown = [...body.matchAll(TOKEN)].map(([, key]) => key!.trim()).find((key) => !known.has(key))
  if (unknown !== undefined) throw invalid({ body: `{{${unknown}}} is no placeholder of the context ${context}.` })
  const at = body.replace(TOKEN, '').match(/\{\{.{0,30}|.{0,30}\}\}/s)
  if (at) throw invalid({ body: `Write placeholders as {{key}} or {{key|what to say without}}; this is neither: ${at[0]}` })
}

const MAX_FILLED = 65_535

/**
 * Returns the text with its tokens filled in. A fallback replaces a missing value; a token with neither becomes empty and is
 * reported as missing. 422 on `template` for a text that would be too long, before it is built.
 */
export function fill(body: string, values: Values): { body: string; missing_placeholders: string[] } {
  const missing = new Set<string>()
  let length = body.length
  const filled = body.replace(TOKEN, (_, given: string, fallback?: string) => {
    const key = given.trim()
    const value = values[key] || fallback
    if (value === undefined) missing.add(key)
    length += value?.length ?? 0
    if (length > MAX_FILLED) throw invalid({ template: `The message becomes longer than ${MAX_FILLED} characters.` })
    return value ?? ''
  })
  return { body: filled, missing_placeholders: [...missing] }
}

export const sampleValues = (context: string): Values =>
  Object.fromEntries(Object.entries(contextOf(context).fields).map(([name, { sample }]) => [`${context}.${name}`, sample]))

/** Values of a record's detail view for the placeholders of its context. */
export const recordValues = (ctx: Ctx, context: string, record: Shown): Values =>
  Object.fromEntries(
    Object.entries(contextOf(context).fields).map(([name, { value }]) => [`${context}.${name}`, value(record, ctx.tenant)]),
  )

/**
 * Current values of agent, workspace and system. Contact data of the workspace is what its documents print, else what the
 * platform has.
 */
export async function sharedValues(ctx: Ctx): Promise<Values> {
  const { actor, tenant, now } = ctx
  const firm = await ctx.tx
    .selectFrom('tenants')
    .select(['company_name', 'email', 'phone'])
    .where('id', '=', tenant.id)
    .executeTakeFirstOrThrow()
  const moment = Temporal.Instant.from(now).toZonedDateTimeISO(tenant.timezone)
  return {
    'agent.name': actor.name,
    'agent.first_name': firstName({ name: actor.name }),
    'agent.email': actor.email,
    'workspace.name': tenant.name,
    'workspace.company_name': firm.company_name,
    'workspace.email': (await ctx.setting('company_email')) || firm.email,
    'workspace.phone': (await ctx.setting('company_phone')) || firm.phone,
    'system.date': moment.toPlainDate().toLocaleString(tenant.locale, { dateStyle: 'medium' }),
    'system.time': moment.toPlainTime().toLocaleString(tenant.locale, { timeStyle: 'short' }),
  }
}
