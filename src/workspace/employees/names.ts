/** The name of an employee and its parts, which are always in step: the whole is what the parts make (employees_name_of_parts). */
import { invalid } from '#kernel/errors.ts'

interface Sent {
  name?: string
  first_name?: string
  last_name?: string | null
}

interface Parts {
  first_name: string
  last_name: string | null
}

const MAX = 255

/**
 * The columns for what was sent, over those of the stored row: a whole name is split at its first space (USR-10), and a part that
 * is sent beside it counts more. 422 on `name` where neither tells a first name, or where the parts make more than 255 characters.
 */
export function namesOf(sent: Sent, before: Partial<Parts> = {}) {
  const parts = { ...before, ...(sent.name === undefined ? {} : partsOf(sent.name)) }
  const first_name = sent.first_name ?? parts.first_name
  const last_name = (sent.last_name === undefined ? parts.last_name : sent.last_name)?.trim() || null
  if (first_name === undefined) throw invalid({ name: 'Is required, or first_name.' })
  const name = last_name === null ? first_name : `${first_name} ${last_name}`
  if (name.length > MAX) throw invalid({ name: `Must be at most ${MAX} characters in all.` })
  return { name, first_name, last_name }
}

function partsOf(name: string): Parts {
  const [first_name = '', ...others] = name.trim().split(/\s+/)
  return { first_name, last_name: others.join(' ') || null }
}
