/** Reminder plans: when customers are reminded, in days before and after the due date. Off until a plan is active. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import { hardStamps, instant, optionalText, text } from '#kernel/values/fields.ts'
import { refuseFractions } from '#kernel/values/money.ts'
import { placeholdersOf } from '#workspace/document-texts/public.ts'
import { positiveAmount } from '#workspace/payments/public.ts'

/** Placeholders that a step's texts may contain. */
const PLACEHOLDERS = ['number', 'title', 'amount', 'due']
const MAX_STEPS = 10
const DAYS = 'Must be from −30 to 365.'
const UNKNOWN = `Knows no placeholders but ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}.`

const said = {
  days: {
    description: 'Days behind the day on which an invoice is due; below 0: before it.',
    examples: [7],
  },
  subject: {
    description:
      'Subject of the mail, which may say {number}, {title}, {amount} and {due}; null: as the texts of documents have it, in the customer’s language.',
    examples: ['Invoice {number} is open'],
  },
  message: {
    description:
      'Text of the mail, which may say {number}, {title}, {amount} and {due}; null: as the texts of documents have it, in the customer’s language.',
    examples: ['Please pay {amount}, which was due on {due}.'],
  },
  fee: {
    description:
      'What this step costs the customer, in the workspace’s currency: the mail says it beside what is due, and invoices in other currencies have none. The invoice stays as it is. null: nothing.',
    examples: [5],
  },
}

/** Text of a reminder; 422 on unknown placeholders. */
export const reminderWords = <S extends z.ZodType<string | null | undefined>>(words: S) =>
  words.refine((said) => placeholdersOf(said ?? '').every((name) => PLACEHOLDERS.includes(name)), UNKNOWN)

const Step = z.object({
  days: z.int('Must be a whole number.').min(-30, DAYS).max(365, DAYS).meta(said.days),
  subject: reminderWords(optionalText(255)).meta(said.subject),
  message: reminderWords(optionalText(5000)).meta(said.message),
  fee: positiveAmount().nullish().meta(said.fee),
})

/** A step as it is stored. */
export interface ReminderStep {
  days: number
  subject: string | null
  message: string | null
  fee: number | null
}

const StepShown = z
  .object({
    days: z.int().meta(said.days),
    subject: z.string().nullable().meta(said.subject),
    message: z.string().nullable().meta(said.message),
    fee: z.number().nullable().meta(said.fee),
  })
  .meta({ id: 'ReminderStep' })

const CreatePlan = z.object({
  name: text(100),
  is_active: z
    .boolean()
    .describe('Whether customers are reminded by it. Of a workspace’s plans one is active at most.')
    .default(false),
  steps: z
    .array(Step)
    .min(1, 'Must be at least one step.')
    .max(MAX_STEPS, `Must be at most ${MAX_STEPS} steps.`)
    .refine((steps) => new Set(steps.map(({ days }) => days)).size === steps.length, 'Must not have two steps of the same days.')
    .meta({
      description: 'The reminders, each sent once for an invoice.',
      examples: [[{ days: -3 }, { days: 7 }, { days: 21, fee: 5 }]],
    }),
})

const ReminderPlan = view('reminder_plans', 'ReminderPlan', {
  id: z.int(),
  name: z.string(),
  is_active: z.boolean().describe('Whether customers are reminded by it.'),
  steps: computed(z.array(StepShown), ({ table }) => sql`${sql.ref(`${table}.steps`)}`).meta({
    description: 'The reminders, by their days.',
    examples: [[{ days: 7, subject: null, message: null, fee: null }]],
  }),
  listed_at: instant()
    .nullable()
    .describe('When its first run listed what was due by then, without mailing it; null: the next run does.'),
  ...hardStamps,
})

const plans = lookupTable({
  table: 'reminder_plans',
  noun: 'reminder plan',
  item: ReminderPlan,
  unique: {
    reminder_plans_name: { name: 'Another reminder plan has this name.' },
    reminder_plans_active: { is_active: 'Another reminder plan is active: switch that off first.' },
  },
})

type Sent = Partial<z.output<typeof CreatePlan>>

/** Columns to store. A plan that is activated or has new steps first lists the steps that are already due. */
function columnsOf(ctx: Ctx, { steps, ...columns }: Sent) {
  const isNew = steps || columns.is_active ? { listed_at: null } : {}
  if (!steps) return { ...columns, ...isNew }
  refuseFractions(ctx.tenant.currency, Object.fromEntries(steps.map(({ fee }, n) => [`steps.${n}.fee`, fee])))
  const stored = steps
    .map(
      ({ days, subject = null, message = null, fee }): ReminderStep => ({
        days,
        subject,
        message,
        fee: fee ? Number(fee) : null,
      }),
    )
    .sort((a, b) => a.days - b.days)
  return { ...columns, ...isNew, steps: JSON.stringify(stored) }
}

export const planRoutes = lookupRoutes(plans, '/reminder-plans', {
  list: listing(plans, { order: { by: ['name'] }, hardDeleted: true }),
  body: CreatePlan,
  allow: {
    view: 'invoices.view',
    create: 'invoices.configure',
    update: 'invoices.configure',
    delete: 'invoices.configure',
  },
  create: (ctx, body) => plans.insert(ctx, columnsOf(ctx, body) as never),
  update: (ctx, plan, body) => plans.save(ctx, plan, columnsOf(ctx, body) as never),
})

type Plan = Omit<Row<'reminder_plans'>, 'steps'> & { steps: ReminderStep[] }

/** Returns the active plan; undefined if there is none. */
export const activePlan = (ctx: Ctx): Promise<Plan | undefined> =>
  ctx.from('reminder_plans').selectAll().where('is_active', '=', true).executeTakeFirst() as Promise<Plan | undefined>
