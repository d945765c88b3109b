/**
 * The name of an employee and its parts, which always agree: the full name is composed of the parts (employees_name_of_parts).
 */
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
 * Returns the columns for the sent names, merged with the stored ones: a full name is split at its first space (USR-10), and a
 * part sent with it takes precedence. 422 on `name` without a first name, or if the parts exceed 255 characters.
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
