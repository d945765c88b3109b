/** The lead that answers to a lead form make. Nothing that somebody wrote there may lose it: what doesn't fit a field is left to the note. */
import type { z } from 'zod'
import { email as address } from '#kernel/values/fields.ts'
import { CreateLead } from '../schema.ts'

/** The platform's own names, the first that was answered counts. */
const named = {
  full: ['full_name', 'name'],
  email: ['email', 'work_email'],
  phone: ['phone_number', 'phone', 'work_phone_number'],
  company: ['company_name', 'company'],
  job_title: ['job_title'],
} as const

const MAX_NOTE = 10_000

/** `note` tells the answers that no field of a lead has room for. */
export function leadOf(
  answers: Map<string, string>,
  defaults: { source: string; stage_id: number | undefined },
): { lead: z.output<typeof CreateLead>; note: string | undefined } {
  const left = new Map([...answers].map(([name, answer]) => [storable(name), storable(answer).trim()]))
  const take = (names: readonly string[], fits: (answer: string) => boolean) => {
    const name = names.find((one) => fits(left.get(one) ?? ''))
    const answer = name === undefined ? null : left.get(name)!
    if (name !== undefined) left.delete(name)
    return answer
  }
  const upTo = (most: number) => (answer: string) => answer !== '' && answer.length <= most

  const whole = take(named.full, upTo(255))
  const parts = [take(['first_name'], upTo(120)), take(['last_name'], upTo(120))].filter((part) => part !== null)
  const email = take(named.email, (answer) => address().safeParse(answer).success)
  const phone = take(named.phone, upTo(50))
  const company = take(named.company, upTo(255))
  const job_title = take(named.job_title, upTo(255))
  const name = whole ?? (parts.join(' ') || company || email || phone || 'Lead of an ad')
  const lead = CreateLead.parse({ name, lead_type: 'direct', email, phone, company, job_title, ...defaults })
  return { lead, note: noteOf(left) }
}

/** Without mentions: a stranger calls nobody. */
function noteOf(left: Map<string, string>) {
  const lines = [...left].filter(([, answer]) => answer).map(([name, answer]) => `${name}: ${answer}`)
  return lines.length ? lines.join('\n').replaceAll('@[', '@ [').slice(0, MAX_NOTE).toWellFormed() : undefined
}

const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()
