/** The words of the daily digests. */
import type { Letter } from '#kernel/mail/letter.ts'
import { type Due, type LeadFigures, MAX_LISTED, type TeamFigures } from './figures.ts'

/** What one user has to do, and their leads. */
export interface Personal {
  tasks: Due[]
  followUps: Due[]
  leads: LeadFigures | undefined
}

type Said = Required<Pick<Letter, 'paragraphs' | 'facts'>>

/** Open leads alone are no news. Undefined: nothing to say. */
export function personalLetter({ tasks, followUps, leads }: Personal): Said | undefined {
  if (!tasks.length && !followUps.length && !leads?.fresh) return undefined
  return {
    paragraphs: [...listed('Tasks', tasks), ...listed('Follow-ups', followUps)],
    facts: leads
      ? factsOf({ 'Your new leads since yesterday': leads.fresh, 'Your open leads': leads.open, 'Won this month': leads.won })
      : [],
  }
}

/** The team's figures, below what is the reader's own. */
export function teamLetter(team: TeamFigures, personal: Personal): Said | undefined {
  const own = personalLetter(personal)
  if (!own && !team.tasks && !team.follow_ups && !team.fresh) return undefined
  return {
    paragraphs: [...(own?.paragraphs ?? []), 'The whole team:'],
    facts: factsOf({
      'Tasks due': team.tasks,
      'of these overdue': team.tasks_overdue,
      'Follow-ups due': team.follow_ups,
      'of them overdue': team.follow_ups_overdue,
      'New leads since yesterday': team.fresh,
      'Open leads': team.open,
      'Won this month': team.won,
    }),
  }
}

function listed(what: string, due: Due[]): string[] {
  const [first] = due
  if (!first) return []
  const more = first.all > MAX_LISTED ? [`and ${first.all - MAX_LISTED} more`] : []
  const overdue = first.overdue ? `, ${first.overdue} of them overdue` : ''
  return [[`${what} due: ${first.all}${overdue}`, ...due.map(({ name, due_on }) => `${due_on}  ${name}`), ...more].join('\n')]
}

const factsOf = (figures: Record<string, number>) =>
  Object.entries(figures).map(([label, value]) => ({ label, value: String(value) }))
