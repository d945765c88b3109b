/**
 * GET /:id/actions: actions that are possible for a record, and the reasons why others aren't. Runs the routes' own checks: the
 * permission, the state machine, and the route's guard.
 */
import { z } from 'zod'
import { type Ctx, missing } from '../context.ts'
import { HttpError } from '../errors.ts'
import { basePaths } from '../modules/module.ts'
import type { Permission } from '../names.ts'
import { type Machine, machineOf } from '../records/machine.ts'
import type { Resource } from '../records/resource.ts'
import { refuseStandIn } from '../tenancy/session.ts'
import { assertMayGrant } from './grants.ts'
import { wordsOf } from './operation-descriptions.ts'
import type { Route } from './route.ts'

/** Rules of POST /:id/status. */
interface StatusRule {
  states: Machine
  allowOf(move?: string): Permission
  /** Returns a further guard of a move, if any. */
  guardOf(move: string): ((ctx: Ctx, row: any) => unknown) | undefined
}
const statusRules = new WeakMap<Route['handler'], StatusRule>()
/** Attaches the status rules to a route, for GET /:id/actions. */
export const ruledBy = (route: Route, rule: StatusRule): Route => {
  statusRules.set(route.handler, rule)
  return route
}

const Refusal = z
  .object({
    code: z.string().meta({ description: 'The code of the error that it would be.', examples: ['FORBIDDEN'] }),
    message: z.string().meta({ description: 'Why not, for people.', examples: ['This needs the permission invoices.update.'] }),
  })
  .nullable()
  .describe('Why it can’t be done; null: it can.')

const RecordAction = z
  .object({
    key: z.string().meta({ description: 'Operation id.', examples: ['sendInvoice'] }),
    method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).describe('Of the request that does it.'),
    path: z.string().meta({
      description: 'Path below the address of the API, with its parameters in braces.',
      examples: ['/invoices/{id}/send'],
    }),
    allowed: z.boolean().describe('Whether the caller may do it now. What is sent with it is judged when it is done.'),
    reason: Refusal,
    choices: z
      .array(
        z.object({
          value: z.string().meta({ description: 'A state.', examples: ['cancelled'] }),
          allowed: z.boolean().describe('Whether the caller may bring it there now.'),
          reason: Refusal,
        }),
      )
      .nullable()
      .describe('Of a change of the status: each other state; null of anything else.'),
  })
  .meta({ id: 'RecordAction' })
type Told = z.infer<typeof RecordAction>

interface Deed {
  route: Route
  key: string
  path: string
  /** Move of the state machine with the name of the last path segment. */
  move: string
}

/**
 * Returns the reply schema and the handler for a resource. The schema is created per resource, and identifies the route even if
 * its handler was wrapped.
 */
export function actionsOf(of: Resource) {
  const reply = z.array(RecordAction)
  let deeds: Deed[] | undefined
  const handler = async (ctx: Ctx, input: Record<string, any>): Promise<Told[]> => {
    const row = await of.find(ctx, input[of.key])
    deeds ??= await deedsOf(ctx, reply)
    const states = machineOf(of)
    return Promise.all(deeds.map((deed) => judged(ctx, deed, states, row as { status?: string })))
  }
  return { reply, handler }
}

/** Returns the writing routes of a single live record, without those of its sub-records. */
async function deedsOf(ctx: Ctx, reply: z.ZodType): Promise<Deed[]> {
  const all = await ctx.services.modules.routes()
  const own = all.find(({ route }) => route.spec.reply === reply)!
  const one = own.path.slice(0, own.path.lastIndexOf('/'))
  return all.flatMap(({ module, route, path }) => {
    const behind = path.slice(one.length)
    const isDeed = route.method !== 'GET' && path.startsWith(one) && /^(\/[^:]+)?$/.test(behind)
    if (!isDeed || behind === '/restore' || behind === '/force' || behind === '/preview') return []
    const told = path.slice(basePaths[module.surface].length).replace(/:(\w+)/g, '{$1}')
    const { operationId } = wordsOf(route, told, true)
    return [{ route, key: operationId, path: told, move: behind.slice(behind.lastIndexOf('/') + 1).replaceAll('-', '_') }]
  })
}

async function judged(
  ctx: Ctx,
  { route, key, path, move }: Deed,
  states: Machine | undefined,
  row: { status?: string },
): Promise<Told> {
  const rule = statusRules.get(route.handler)
  const choices = rule ? await choicesOf(ctx, rule, row as { status: string }) : null
  const reason = await refusalOf(async () => {
    refuseStandIn(route.spec, ctx.actor)
    await assertMayGrant(ctx, route)
    requireAny(ctx, [route.spec.allow].flat() as Permission[])
    if (states && move in states.moves) states.check(move, row.status!)
    await route.spec.guard?.(ctx, row)
    if (choices?.length && choices.every((one) => !one.allowed)) throw refused(choices[0]!.reason!)
  })
  return { key, method: route.method as Told['method'], path, allowed: reason === null, reason, choices }
}

const choicesOf = (ctx: Ctx, { states, allowOf, guardOf }: StatusRule, row: { status: string }) =>
  Promise.all(
    states.states
      .filter((value) => value !== row.status)
      .map(async (value) => {
        const reason = await refusalOf(async () => {
          const move = states.leadingTo(value, row.status)
          requireAny(ctx, [allowOf(move)])
          if (!move) throw states.unreachable(value)
          states.check(move, row.status)
          await guardOf(move)?.(ctx, row)
        })
        return { value, allowed: reason === null, reason }
      }),
  )

function requireAny(ctx: Ctx, allow: Permission[]) {
  if ((allow as string[]).includes('signed-in') || allow.some(ctx.can)) return
  throw missing(allow.join(' or '))
}

const refused = ({ code, message }: { code: string; message: string }) => new HttpError(422, code, message)

/** Returns the refusal's code and message; null if there is none. Other errors are rethrown as defects. */
async function refusalOf(judge: () => Promise<unknown>): Promise<Told['reason']> {
  try {
    await judge()
    return null
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return { code: error.code, message: Object.values(error.errors ?? {})[0]?.[0] ?? error.message }
  }
}
