/**
 * Operation names in the API documents, derived from method and path: `POST /purchase-orders/{id}/send` is `sendPurchaseOrder`,
 * "Send a purchase order". Generated clients use the id as a method name, so it must never change.
 */
import { capital, singular, spoken, withArticle } from '../values/words.ts'

/** Properties of a route from which its name is derived. */
export interface Shape {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path relative to the API's base path: `/vendors/{id}`. */
  path: string
  /** Kind of reply of a GET. */
  answers: 'list' | 'one' | 'file'
  /** Creates a record (201). */
  creates: boolean
}

/** Path segments that only group routes. */
const GROUPS = new Set(['auth', 'public', 'integrations', 'meta'])
/** Path segments that qualify the next one: `/email/accounts` are email accounts. */
const KINDS = new Set(['email', 'inventory', 'branded', 'marketplace', 'storage'])
/** Files whose path names the action: `GET /leads/export`. */
const FILES = new Set(['export', 'download'])
const ADVERBS = new Set(['auto', 'bulk', 'mass', 'self'])

/** Segment of a path: a collection (`one` if a parameter selects a record of it), or a single thing. */
export interface Step {
  name: string
  one: boolean
}

/** Splits a path into its segments. */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = []
  for (const part of path.split('/')) {
    const before = steps.at(-1)
    if (part.startsWith('{')) {
      before!.one = true
      if (before!.name === 'timeline') before!.name = 'timeline-entries'
    } else if (before && KINDS.has(before.name)) before.name += `-${part}`
    else if (part && !GROUPS.has(part)) steps.push({ name: part, one: false })
  }
  return steps
}

/** Returns the operation id and the summary of an operation. */
export function operationName({ method, path, answers, creates }: Shape): { operationId: string; summary: string } {
  const steps = stepsOf(path)
  const last = steps.at(-1)!
  const owners = steps.slice(0, -1)

  if (method === 'GET' && answers === 'file' && FILES.has(last.name)) return named(last.name, owners)
  if (method === 'GET') return named(answers === 'file' ? 'download' : answers === 'list' ? 'list' : 'show', steps)
  if (method === 'POST' && last.one) return named('save', steps)
  if (method === 'PATCH') return named('patch', steps, 'Change')
  if (method === 'PUT' && last.name === 'external') return named('upsert', oneOf(owners), 'Create or change')
  if (method === 'PUT' || (method === 'POST' && last.name === 'me')) return named('update', steps, 'Change')
  if (method === 'DELETE')
    return last.name === 'force' ? named('forceDelete', owners, 'Delete', 'for good') : named('delete', steps)
  if (last.name === 'status') return named('change', steps)
  if (creates && last.name.endsWith('s')) return created(owners, { ...last, one: true })
  return done(last.name.split('-'), owners)
}

/** Returns the steps with a single record as the last one. */
const oneOf = (steps: Step[]) => steps.map((step, n) => (n < steps.length - 1 ? step : { ...step, one: true }))

const named = (verb: string, steps: Step[], says = capital(verb), more = '') => ({
  operationId: camel([verb, ...namesOf(steps, verb === 'show' && !steps.at(-1)!.one && steps.at(-2)?.name !== 'me')]),
  summary: [says, phrase(steps), more].filter(Boolean).join(' '),
})

function created(owners: Step[], step: Step) {
  const { operationId, summary } = named('create', [...owners, step])
  return owners.length ? { operationId, summary: `Add ${phrase([step])} to ${phrase(owners)}` } : { operationId, summary }
}

/**
 * Names an action: `mark-paid` of an invoice is `markInvoicePaid`. For an action on a whole collection, or without an owner, its
 * words stay together.
 */
function done(words: string[], owners: Step[]) {
  const mine = owners.at(-1)?.name === 'me'
  const together = !owners.at(-1)?.one && !mine
  const verbs = together ? words.length : ADVERBS.has(words[0]!) ? 2 : 1
  const [verb, rest] = [words.slice(0, verbs), words.slice(verbs)]
  return {
    operationId: camel([...verb, ...(mine ? ['my'] : namesOf(owners)), ...rest]),
    summary: [capital(spoken(verb)), mine ? 'my' : phrase(owners), spoken(rest)].filter(Boolean).join(' '),
  }
}

/** Returns the noun of a single record of a step. */
export const singularOf = ({ name }: Step) => (name === 'me' ? 'my' : singular(name.replaceAll('-', ' ')))
const nounOf = (step: Step) => (step.one ? singularOf(step) : step.name.replaceAll('-', ' '))

/**
 * Returns the nouns of a path, such as `purchase order notes`: owners in the singular, the last one unchanged. With `shared` the
 * last owner keeps its plural: `vendors stats`.
 */
const namesOf = (steps: Step[], shared = false) =>
  steps.map((step, n) => (n < steps.length - 1 && !(shared && n === steps.length - 2) ? singularOf(step) : nounOf(step)))

/** Returns a phrase such as `the notes of a purchase order`. */
export function phrase(steps: Step[]): string {
  const last = steps.at(-1)
  if (!last) return ''
  if (last.name === 'me') return 'my profile'
  const owners = steps.slice(0, -1)
  const noun = spoken(nounOf(last).split(' '))
  if (!owners.length) return last.one ? withArticle(noun) : noun
  if (owners.at(-1)!.name === 'me') return `my ${noun}`
  return `${last.one ? withArticle(noun) : `the ${noun}`} of ${phrase(owners)}`
}

const camel = (names: string[]) =>
  names
    .join(' ')
    .split(/[^A-Za-z0-9]+/)
    .map((word, n) => (n ? capital(word) : word))
    .join('')
