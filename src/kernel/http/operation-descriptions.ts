/**
 * Descriptions of the operations that every module has, derived from method and path. Routes that do more have their own
 * description.
 */
import { z } from 'zod'
import { operationName, phrase, type Shape, singularOf, stepsOf } from './operation-names.ts'
import type { Route } from './route.ts'

interface Described extends Shape {
  /** Deleted records can be restored. */
  hasTrash: boolean
  /** The list is paginated. */
  paged: boolean
}

/**
 * Returns an operation's name, summary and description: the route's own, or derived ones. `path` is relative to the base path:
 * `/vendors/{id}`.
 */
export function wordsOf({ method, spec }: Route, path: string, hasTrash: boolean) {
  const lists = spec.page !== undefined || spec.reply instanceof z.ZodArray
  const answers = spec.file ? 'file' : lists ? 'list' : 'one'
  const shape = { method, path, answers, creates: spec.status === 201 } as const
  const { operationId, summary } = operationName(shape)
  return {
    operationId: spec.operation ?? operationId,
    summary: spec.summary ?? summary,
    description: spec.description ?? operationDescription({ ...shape, hasTrash, paged: spec.page !== undefined }),
  }
}

/** Returns undefined if no rule applies: then the route needs its own description. */
function operationDescription({ method, path, answers, creates, hasTrash, paged }: Described): string | undefined {
  const steps = stepsOf(path)
  const last = steps.at(-1)
  if (!last) return undefined
  const owners = steps.slice(0, -1)
  const noun = singularOf(last)
  const owner = owners.at(-1)
  if (owner?.name === 'me') return undefined
  const ofOwner = owner?.one ? ` of ${phrase(owners)}` : ''

  const listed: Record<string, string> = {
    notes: `Answers a page of the notes on the ${owner && singularOf(owner)}, the newest first.`,
    timeline: `Answers a page of what happened to the ${owner && singularOf(owner)}, each entry as a sentence, the newest first.`,
  }
  if (method === 'GET' && answers === 'list' && owner?.one && listed[last.name]) return listed[last.name]
  if (method === 'GET' && answers === 'list')
    return paged
      ? `Answers a page of the ${phraseOf(last.name)}${ofOwner} that the caller may see and that match all filters that are sent.`
      : `Answers all ${phraseOf(last.name)}${ofOwner} at once; there are no pages.`
  if (last.one) {
    if (method === 'GET' && answers === 'one')
      return `Answers one ${noun}${ofOwner} with everything that is shown of it. A record in the trash is a 404.`
    if (method === 'PUT' && last.name === 'external')
      return `Changes the ${singularOf(owner!)} that another system calls so as far as fields are sent (200), or makes it where there is none (201): one, however many ask at once. Who may not create finds none to change.`
    if (method === 'PUT' || method === 'PATCH')
      return `Changes the fields of the ${noun} that are sent and keeps all others. A list that is sent replaces the whole list.`
    if (method === 'DELETE')
      return hasTrash
        ? `Moves the ${noun} to the trash: every route but the list with \`trashed\` has it no more, until it is restored.`
        : `Deletes the ${noun} for good, at once. It can't be undone.`
    return undefined
  }
  if (method === 'POST' && creates && last.name === 'notes')
    return `Writes a note on the ${singularOf(owner!)} and a \`note_added\` entry in its timeline. Users whom it mentions are notified.`
  if (method === 'POST' && creates && last.name.endsWith('s'))
    return `Creates one ${noun}${ofOwner} of what is sent and answers it as it was stored, with its id.`
  if (!owner?.one) {
    if (method === 'POST' && last.name === 'bulk')
      return `Does to many of the ${phraseOf(owner?.name ?? last.name)} what the route of one does, each by itself: up to 100 by \`ids\` or \`filter\`, and 2,000 rows of records and their lines, at once, more by a job that \`GET /bulk/{batch_id}\` follows. \`POST /bulk/{batch_id}/undo\` undoes it.`
    if (method === 'GET' && last.name === 'stats')
      return `Counts the ${phraseOf(owner?.name ?? last.name)} that the list with the same filters would show, without reading them.`
    if (method === 'GET' && last.name === 'series')
      return `Answers the ${phraseOf(owner?.name ?? last.name)} that the list with the same filters would show by day, week or month: how many there are, or what they come to.`
    if (method === 'GET' && last.name === 'export')
      return `Answers the ${phraseOf(owner?.name ?? last.name)} that the list with the same filters would show, all of them, as a file.`
    return undefined
  }
  const its = singularOf(owner)
  if (method === 'DELETE' && last.name === 'force')
    return `Deletes the ${its}, which is in the trash, for good, with all that belongs to it. A live one is a 400.`
  const actions: Record<string, string> = {
    restore: `Takes the ${its} out of the trash, as it was. A live one is a 400.`,
    status: `Moves the ${its} to another state. \`status\` says to which, and the rules are those of the routes that lead there: 422 where none does.`,
    suspend: `Refuses the ${its} at once, in every session and with every key, until the suspension is lifted.`,
    unsuspend: `Lets the ${its} in again.`,
    assign: `Gives the ${its} to a user, or with null to nobody, and writes that in its timeline.`,
  }
  if (method === 'POST') return actions[last.name]
  if (method === 'GET' && answers === 'file' && last.name === 'pdf') return `Answers the ${its} as a PDF, as it is printed.`
  return undefined
}

const phraseOf = (name: string) => phrase([{ name, one: false }])
