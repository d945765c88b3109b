/**
 * Daily digests (NTF-37): each user's due work, and in the same mail the team's summary for the owner and chosen users (USR-04).
 * Sent once a day per user despite retries: the row of `daily_digests` commits with the mail.
 */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { type Letter, letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { type Viewer, viewersAmong } from '../audience.ts'
import { frontEndOf } from '../front-end.ts'
import {
  type Day,
  type Due,
  dayOf,
  followUpsDue,
  type LeadFigures,
  leadFigures,
  MAX_LISTED,
  type TeamFigures,
  tasksDue,
  teamFigures,
} from './figures.ts'

/** A user's due tasks and follow-ups, and lead figures. */
interface Personal {
  tasks: Due[]
  followUps: Due[]
  leads: LeadFigures | undefined
}

type Said = Required<Pick<Letter, 'paragraphs' | 'facts'>>

/** Open leads alone trigger no digest. Undefined: nothing to report. */
function personalLetter({ tasks, followUps, leads }: Personal): Said | undefined {
  if (!tasks.length && !followUps.length && !leads?.fresh) return undefined
  return {
    paragraphs: [...listed('Tasks', tasks), ...listed('Follow-ups', followUps)],
    facts: leads
      ? factsOf({ 'Your new leads yesterday': leads.fresh, 'Your open leads': leads.open, 'Won this month': leads.won })
      : [],
  }
}

/** Adds the team's figures below the user's own. */
function teamLetter(team: TeamFigures, personal: Personal): Said | undefined {
  const own = personalLetter(personal)
  if (!own && !team.tasks && !team.follow_ups && !team.fresh) return undefined
  return {
    paragraphs: [...(own?.paragraphs ?? []), 'The whole team:'],
    facts: factsOf({
      'Tasks due': team.tasks,
      'of these overdue': team.tasks_overdue,
      'Follow-ups due': team.follow_ups,
      'of them overdue': team.follow_ups_overdue,
      'New leads yesterday': team.fresh,
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

/** Maximum number of users in one transaction. */
const BATCH = 50

export const dailyDigests = defineWorkspaceJob({
  name: 'notifications-digests',
  daily: { setting: 'task_reminder_time' },
  async run(ctx) {
    await ctx.services.queue.send(ctx, batchOfDigests, { day: ctx.today(), after: 0 })
  },
})

interface Batch {
  day: string
  /** Last user of the previous batch. */
  after: number
}

export const batchOfDigests = defineWorkspaceJob<Batch>({
  name: 'notifications-digest-batch',
  data: z.object({ day: z.iso.date(), after: z.int() }),
  async run(ctx, { day, after }) {
    const users = await usersAfter(ctx, after)
    await sendDigests(ctx, await claim(ctx, users, day), dayOf(ctx, day))
    if (users.length === BATCH) await ctx.services.queue.send(ctx, batchOfDigests, { day, after: users.at(-1)!.id })
  },
})

interface Recipient {
  id: number
  receive_all_users_daily_summary: boolean
}

const usersAfter = (ctx: Ctx, after: number): Promise<Recipient[]> =>
  ctx
    .from('users')
    .select(['id', 'receive_all_users_daily_summary'])
    .where('id', '>', after)
    .where('deleted_at', 'is', null)
    .where('suspended_at', 'is', null)
    .where('email_verified_at', 'is not', null)
    .orderBy('id')
    .limit(BATCH)
    .execute()

/** Claims the day's digest for users who haven't received it yet, and returns them. */
async function claim(ctx: Ctx, users: Recipient[], day: string): Promise<Recipient[]> {
  if (!users.length) return []
  const claimed = await ctx.tx
    .insertInto('daily_digests')
    .values(users.map(({ id }) => ({ tenant_id: ctx.tenant.id, user_id: id, day, created_at: ctx.now })))
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id', 'day']).doNothing())
    .returning('user_id')
    .execute()
  const ids = new Set(claimed.map(({ user_id }) => user_id))
  return users.filter(({ id }) => ids.has(id))
}

async function sendDigests(ctx: Ctx, users: Recipient[], day: Day) {
  const viewers = await viewersAmong(
    ctx,
    users.map(({ id }) => id),
  )
  const leaders = new Set(users.filter((user) => user.receive_all_users_daily_summary).map(({ id }) => id))
  const ofTeam = (viewer: Viewer) => viewer.ctx.actor.isOwner || leaders.has(viewer.id)
  const personal = await personalOf(ctx, viewers, day)
  const team = viewers.some(ofTeam) ? await teamFigures(ctx, day) : undefined
  const accent = await ctx.setting('document_accent_color')
  const button = { label: 'Open', url: await frontEndOf(ctx) }
  for (const viewer of viewers) {
    const forTeam = team && ofTeam(viewer)
    const said = forTeam ? teamLetter(team, personal(viewer)) : personalLetter(personal(viewer))
    if (!said || viewer.email === null) continue
    const subject = forTeam ? `The team’s day, ${day.date}` : `Your day, ${day.date}`
    const paragraphs = [`Hello ${viewer.ctx.actor.name},`, ...said.paragraphs]
    await sendMail(ctx, {
      type: forTeam ? 'daily_summary.team' : 'daily_summary.personal',
      to: [viewer.email],
      subject,
      ...letter({ title: subject, from: ctx.tenant.name, accent, ...said, paragraphs, button }),
    })
  }
}

/** Returns each user's own digest data, limited to records that the user may see. */
async function personalOf(ctx: Ctx, viewers: Viewer[], day: Day) {
  const holding = (permission: 'tasks.view' | 'leads.view') =>
    viewers.filter((one) => one.ctx.can(permission)).map(({ id }) => id)
  const seeAll = viewers.filter((one) => subjectOf(one.ctx, 'lead')?.visible(one.ctx, 'l') === undefined).map(({ id }) => id)
  const [tasks, followUps, leads] = await Promise.all([
    tasksDue(ctx, holding('tasks.view'), day),
    followUpsDue(ctx, holding('leads.view'), seeAll, day),
    leadFigures(ctx, holding('leads.view'), day),
  ])
  const by = <R extends { user_id: number }>(rows: R[]) => Map.groupBy(rows, ({ user_id }) => user_id)
  const [tasksBy, followUpsBy, leadsBy] = [by(tasks), by(followUps), by(leads)]
  return ({ id }: Viewer): Personal => ({
    tasks: tasksBy.get(id) ?? [],
    followUps: followUpsBy.get(id) ?? [],
    leads: leadsBy.get(id)?.[0],
  })
}
