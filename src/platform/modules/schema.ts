import { sql } from 'kysely'
import { z } from 'zod'
import { embedded, view } from '#kernel/records/view.ts'
import { amount, changesOf, choice, currency, id, money, optionalText, text, trashStamps } from '#kernel/values/fields.ts'

export const AVAILABILITIES = ['available', 'in-progress', 'planned'] as const
export const STATUSES = ['draft', 'published', 'retired'] as const

/** Fields that can be changed later. The key identifies the module and stays. */
const details = {
  name: text(255),
  description: optionalText(2000),
  category_id: id().nullish(),
  version: z
    .string()
    .max(30)
    .regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, 'Must be a version such as 1.4.0.')
    .meta({ examples: ['1.4.0'] })
    .default('1.0.0'),
  availability: choice(AVAILABILITIES)
    .describe('Whether there is code for it: planned modules can’t be installed.')
    .default('planned'),
  status: choice(STATUSES).describe('Only published modules are on sale.').default('draft'),
  monthly_price: amount().default('0'),
  yearly_price: amount().default('0'),
  /** Default: the platform's currency. */
  currency: currency().optional(),
  is_default_included: z.boolean('Must be true or false.').default(false),
  is_billable: z.boolean('Must be true or false.').default(false),
}

export const CreateModule = z.object({
  key: z
    .string()
    .max(50, 'Must be at most 50 characters.')
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'Must be lower-case words with hyphens between them.'),
  ...details,
})
export const ChangeModule = changesOf(z.object(details))

const category = embedded(z.object({ id: z.int(), name: z.string() }).nullable(), {
  columns: ['category_id'],
  refersTo: 'module_category',
  value: ({ table }) => sql`(select json_build_object('id', c.id, 'name', c.name) from module_categories c
    where c.id = ${sql.ref(`${table}.category_id`)})`,
})

/** CEN-45. */
export const CatalogueModule = view('modules', 'Module', {
  id: z.int(),
  uuid: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  version: z.string(),
  category_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the category that the catalogue shows it in; null: none.', examples: [1] }),
  category,
  availability: choice(AVAILABILITIES).describe('Whether there is code for it: planned modules can’t be installed.'),
  status: choice(STATUSES),
  requires: z
    .array(z.string())
    .meta({ description: 'Keys of the modules that must be installed before.', examples: [['fleet']] }),
  monthly_price: money().meta({ description: 'Net price of a month.', examples: [9] }),
  yearly_price: money().meta({ description: 'Net price of a year.', examples: [90] }),
  currency: z.string(),
  is_default_included: z.boolean().describe('Whether every new workspace gets it.'),
  is_billable: z.boolean().describe('Whether it is billed; false: it is free, whatever its prices.'),
  ...trashStamps,
})
