/** Fields by which a client chooses a file's table, and sees the one that is read. */
import { sql } from 'kysely'
import { z } from 'zod'
import { computed } from '../records/view.ts'
import { DAY_ORDERS, DECIMAL_SIGNS, GROUP_SIGNS, type Notation, notationFields } from './notation.ts'

const said = {
  sheet: { description: 'Name of the sheet that is read; null: the file is CSV.', examples: ['Customers'] },
  header_row: { description: 'Number of the row with the column headers.', examples: [1] },
  sheets: { description: 'Names of the file’s sheets; none: the file is CSV.', examples: [['Customers', 'Suppliers']] },
}

/** Maximum number of rows of a sheet in Excel. */
const MAX_ROW = 1_048_576
export const sheetName = () => z.string().min(1, 'Must not be empty.').max(100, 'Must be at most 100 characters.')
export const headerRow = () =>
  z.int(`Must be a whole number from 1 to ${MAX_ROW}.`).min(1).max(MAX_ROW, `Must be a whole number from 1 to ${MAX_ROW}.`)

/** Body of a request that reads a file again. Missing fields are detected again. */
export const ChooseTable = z
  .object({
    sheet: sheetName()
      .optional()
      .meta({ description: 'Name of the sheet to read.', examples: ['Customers'] }),
    header_row: headerRow().optional().meta(said.header_row),
  })
  .refine(({ sheet, header_row }) => sheet !== undefined || header_row !== undefined, {
    path: ['sheet'],
    message: 'Is required, or header_row.',
  })

/** Spec of `PUT …/table`, which reads the file of an import again. */
export const chooseTableSpec = {
  grants: false,
  body: ChooseTable,
  message: 'File read again.',
  description:
    'Reads another sheet of the file, or takes another row for the column headers, and answers what was found as the upload does. The mapping has to be sent anew.',
} as const

/** Records of a preview; `example` shows the fields of one. */
export const sampleRecords = (example: Record<string, unknown>) =>
  z
    .array(
      z.object({
        row: z.int().meta({ description: 'Number of the row, as a spreadsheet counts it.', examples: [2] }),
        action: z.enum(['created', 'updated', 'skipped']).describe('What would become of the row.'),
        values: z.record(z.string(), z.unknown()).meta({
          description: 'The mapped fields as they would be stored; none of a row that is skipped.',
          examples: [example],
        }),
      }),
    )
    .describe('The first rows, with what would be made of them.')

/** Fields of a mapping that change the notation; missing ones stay unchanged. */
export const notationChanges = {
  decimal_sign: notationFields.decimal_sign.optional(),
  group_sign: notationFields.group_sign.optional(),
  day_order: notationFields.day_order.optional(),
}

/** Columns of a row with a notation, as its view shows them. */
export const notationColumns = {
  ...notationFields,
  group_sign: computed(notationFields.group_sign, ({ table }) => sql.ref(`${table}.group_sign`)),
}

/** Columns of an import, as its view shows them. */
export const tableColumns = {
  sheet: z.string().nullable().meta(said.sheet),
  header_row: z.int().meta(said.header_row),
  ...notationColumns,
}

/** Properties detected in a file, in addition to its headers. */
export const foundTable = {
  sheets: z.array(z.string()).meta(said.sheets),
  sheet: z.string().nullable().meta(said.sheet),
  header_row: z.int().meta(said.header_row),
  ...notationFields,
}

/** Returns the notation of an import's row. */
export const notationOf = ({ decimal_sign, group_sign, day_order }: Record<keyof Notation, string | null>): Notation => ({
  decimal_sign: DECIMAL_SIGNS.find((sign) => sign === decimal_sign) ?? '.',
  group_sign: GROUP_SIGNS.find((sign) => sign === group_sign) ?? null,
  day_order: DAY_ORDERS.find((order) => order === day_order) ?? null,
})

export const sheetsColumn = computed(z.array(z.string()).meta(said.sheets), ({ table }) => sql.ref(`${table}.sheets`))
export const headersColumn = computed(
  z.array(z.string()).meta({ description: 'Headers of the file’s columns.', examples: [['Name', 'E-mail']] }),
  ({ table }) => sql.ref(`${table}.headers`),
)
