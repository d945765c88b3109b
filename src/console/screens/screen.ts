/**
 * Schema of a console screen, as `GET /console` returns it. Derived from the API's route declarations, so that a client renders
 * every module without knowing any. Absent properties are false: a field without `is_required` isn't required.
 */
import { z } from 'zod'
import { choice } from '#kernel/values/fields.ts'

/** Kinds of fields, which determine display and input. */
const KINDS = [
  'text',
  'long_text',
  'html',
  'number',
  'quantity',
  'percentage',
  'money',
  'date',
  'instant',
  'time',
  'boolean',
  'enum',
  'reference',
  'references',
  'list',
  'lines',
  'object',
  'json',
  'file',
  'colour',
  'email',
  'phone',
  'url',
  'currency',
  'timezone',
  'uuid',
  'secret',
] as const
export type FieldKind = (typeof KINDS)[number]

const permissions = () =>
  z.array(z.string()).meta({ description: 'Any of these permissions; none: whoever is signed in.', examples: [['fleet.update']] })
const label = () => z.string().meta({ description: 'What people read.', examples: ['Expected date'] })
const path = () =>
  z.string().meta({
    description: 'Path below the address of the API, with its parameters in braces.',
    examples: ['/vendors/{id}'],
  })

const Option = z.object({
  value: z.union([z.string(), z.number()]).meta({ description: 'What is sent and shown as data.', examples: ['cancelled'] }),
  label: label(),
})

/** Target of a reference. */
const Target = z.object({
  resource: z.string().meta({ description: 'Kind of record, as `x-refers-to` has it.', examples: ['vendor'] }),
  screen: z
    .string()
    .nullable()
    .meta({
      description: 'Key of the screen that lists them: its `path` and `search` find one; null: none lists them.',
      examples: ['fleet'],
    }),
  embed: z
    .string()
    .optional()
    .meta({ description: 'The field beside the id that shows the record in short.', examples: ['vendor'] }),
  title_field: z
    .string()
    .optional()
    .meta({ description: 'The field of the embedded record that people know it by.', examples: ['name'] }),
})

const base = z.object({
  name: z.string().meta({ description: 'The field, as data has it.', examples: ['expected_date'] }),
  label: label(),
  kind: choice(KINDS).describe('How the value is shown and asked for.'),
  hint: z
    .string()
    .optional()
    .meta({ description: 'What it means, where the name doesn’t say it.', examples: ['Day of the delivery.'] }),
  is_hidden: z.literal(true).optional().describe('A list leaves the column out until somebody chooses it.'),
  is_required: z.literal(true).optional().describe('It must be sent.'),
  is_nullable: z.literal(true).optional().describe('It may be empty.'),
  default: z
    .unknown()
    .optional()
    .meta({ description: 'What counts where nothing is sent.', examples: ['none'] }),
  options: z
    .array(Option)
    .optional()
    .describe('The words that an `enum`, or a list of words, may have; of a `text` the codes that are known.'),
  choices: z
    .object({
      path: path(),
      field: z.string().meta({ description: 'The field of an entry that is sent.', examples: ['name'] }),
      about: z
        .string()
        .nullable()
        .meta({ description: 'The field that says more of it; null: none.', examples: ['description'] }),
    })
    .optional()
    .describe('Where the words are listed that a list may have.'),
  refers_to: Target.optional().describe('What a reference names.'),
  makes: Target.optional().describe(
    'Of a flag: the record that is made in the same go. Where no screen lists them, it is not to be sent.',
  ),
  fills: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description: 'Fields beside it that begin with what the chosen record says: of each the field of that record.',
      examples: [{ unit_price: 'unit_price' }],
    }),
  shown_as: z
    .string()
    .optional()
    .meta({
      description: 'The field that says more precisely what this one does, and is shown in its place.',
      examples: ['display_status'],
    }),
  also: z
    .array(z.string())
    .optional()
    .meta({ description: 'Words that a filter takes beside a reference.', examples: [['unassigned']] }),
  currency_field: z
    .string()
    .optional()
    .meta({
      description: 'The field with the currency; where there is none of that name, the workspace’s counts.',
      examples: ['currency'],
    }),
  decimals: z
    .int()
    .optional()
    .meta({ description: 'How many decimals a number may have at most.', examples: [2] }),
  min: z
    .number()
    .optional()
    .meta({ description: 'The least that is taken.', examples: [0] }),
  max: z
    .number()
    .optional()
    .meta({ description: 'The most that is taken.', examples: [100] }),
  max_length: z
    .int()
    .optional()
    .meta({ description: 'How many characters, or entries of a list, there may be.', examples: [255] }),
  accepts: z
    .array(z.string())
    .optional()
    .meta({ description: 'Kinds of file that are taken; none: any.', examples: [['pdf']] }),
  max_bytes: z
    .int()
    .optional()
    .meta({ description: 'How large a file may be.', examples: [2_097_152] }),
})

export const Field: z.ZodType<Field> = z
  .object({
    ...base.shape,
    get fields() {
      return z.array(Field).optional().describe('What a line, or an object, is made of.')
    },
  })
  .meta({ id: 'ScreenField' })
export type Field = z.infer<typeof base> & { fields?: Field[] }

const Form = z
  .object({
    method: choice(['POST', 'PUT', 'PATCH', 'DELETE']).describe('Of the request that sends it.'),
    path: path(),
    allow: permissions(),
    fields: z.array(Field).describe('What may be sent, in the order of a form.'),
    is_multipart: z.literal(true).optional().describe('It takes a file: sent as multipart/form-data.'),
    preview: path()
      .optional()
      .describe('Where pictures of the pages are drawn that the document of such a form would have; the same is sent there.'),
  })
  .meta({ id: 'ScreenForm' })
export type Form = z.infer<typeof Form>

const Action = z
  .object({
    ...Form.shape,
    key: z.string().meta({ description: 'Operation id: names it in `GET …/actions` too.', examples: ['sendTruck'] }),
    label: label(),
    title: z.string().meta({ description: 'What it does, in a few words.', examples: ['Send an invoice'] }),
    description: z.string().optional().describe('What it does, in a sentence.'),
    asks_reason: z.literal(true).optional().describe('One of its fields is the reason.'),
    makes: z
      .string()
      .optional()
      .meta({ description: 'Key of the screen of the other record that it answers with.', examples: ['repair-orders'] }),
    is_danger: z.literal(true).optional().describe('What it does can’t be taken back by a restore.'),
  })
  .meta({ id: 'ScreenAction' })
export type Action = z.infer<typeof Action>

const Download = z
  .object({
    label: label(),
    path: path(),
    types: z.array(z.string()).meta({ description: 'Media types of the file.', examples: [['application/pdf']] }),
    allow: permissions(),
  })
  .meta({ id: 'ScreenDownload' })
export type Download = z.infer<typeof Download>

const List = z
  .object({
    columns: z.array(Field).describe('What can be shown of each row; those that aren’t `is_hidden` are, unless somebody chose.'),
    filters: z
      .array(Field)
      .describe('What rows can be kept by: each a parameter of the list, which is asked only with those that are `is_required`.'),
    sorts: z.array(z.string()).meta({ description: 'Words for `sort`.', examples: [['created_at', 'name']] }),
    default_sort: z
      .object({
        by: z.string().meta({ description: 'The column.', examples: ['created_at'] }),
        direction: choice(['asc', 'desc']).describe('Which way.'),
      })
      .nullable()
      .describe('How rows stand where no `sort` is sent; null: as the list says.'),
    order: z
      .object({
        by: z.string().meta({ description: 'What to send as `sort`.', examples: ['due_date'] }),
        direction: choice(['asc', 'desc']).describe('Which way.'),
      })
      .nullable()
      .describe('What the module wants its rows sorted by where nobody chose; null: as the list is without `sort`.'),
    is_paged: z.boolean().describe('Whether it takes `page` and `per_page`; others answer all at once.'),
    is_searchable: z.boolean().describe('Whether it takes `search`.'),
    has_trash: z.boolean().describe('Whether it takes `trashed`.'),
  })
  .meta({ id: 'ScreenList' })

const Part = z
  .object({
    key: z.string().meta({ description: 'Names the part among those of its screen.', examples: ['follow-ups'] }),
    title: label(),
    noun: z.string().meta({ description: 'One of its rows, within a sentence.', examples: ['follow-up'] }),
    path: path(),
    allow: permissions(),
    list: List.describe('How its rows are shown and kept.'),
    create: Form.nullable().describe('How one is added; null: not here.'),
    edit: Form.nullable().describe('How one is changed; null: not here.'),
    remove: Form.nullable().describe('How one is taken away; null: not here.'),
    actions: z.array(Action).describe('What can be done with one of them.'),
    download: Download.nullable().describe('The file that one of them is; null: it is none.'),
  })
  .meta({ id: 'ScreenPart', description: 'A list that belongs to a record.' })
export type Part = z.infer<typeof Part>

const Related = z
  .object({
    screen: z.string().meta({ description: 'Key of the screen that lists them.', examples: ['repair-orders'] }),
    filter: z.string().meta({ description: 'The filter of that list by which this record’s are kept.', examples: ['vendor_id'] }),
    field: z
      .string()
      .nullable()
      .meta({
        description: 'Where the form that makes one names this record, within lines after a dot; null: it doesn’t.',
        examples: ['vendor_id', 'allocations.invoice_id'],
      }),
    takes: z
      .array(z.string())
      .meta({ description: 'Fields of this record that the new one begins with.', examples: [['balance_due']] }),
  })
  .meta({ id: 'ScreenRelated', description: 'A list whose records name this one.' })

const Board = z
  .object({
    path: path(),
    by: z.string().meta({ description: 'The field of a record that says in which column it stands.', examples: ['status'] }),
    rows: z.string().meta({ description: 'The field of a column with its records.', examples: ['fleet'] }),
    column: z
      .string()
      .meta({ description: 'The field of a column that says which it is: a word, or a record in short.', examples: ['status'] }),
    count: z
      .string()
      .nullable()
      .meta({ description: 'The field of a column that counts its records.', examples: ['count'] }),
    sums: z.array(Field).describe('The fields of a column that say what its records come to.'),
    card: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'Fields that a card shows beside its title; null: what the list shows.',
        examples: [['customer', 'total']],
      }),
    move: Form.nullable().describe('How a record is moved to another column; null: it isn’t, here.'),
  })
  .meta({ id: 'ScreenBoard' })

export const Chart = z
  .object({
    path: path(),
    by: z.array(Option).meta({
      description: 'Days by which records lie in a period, the usual one first.',
      examples: [[{ value: 'due_date', label: 'Due date' }]],
    }),
    of: z
      .array(Option.extend({ kind: choice(KINDS).describe('How its values are shown.') }))
      .meta({ description: 'What is told of a period, the usual first: `count`, or what a field adds up to.' }),
    unit: choice(['day', 'week', 'month']).describe('The usual period.'),
    splits: z
      .array(Option.extend({ options: z.array(Option).describe('Its words.') }))
      .describe('Fields by which each period can be told apart.'),
    split: z
      .string()
      .nullable()
      .meta({ description: 'The usual one of them; null: none.', examples: ['status'] }),
    is_ahead: z.literal(true).optional().describe('The days lie ahead.'),
  })
  .meta({ id: 'ScreenChart' })
export type Chart = z.infer<typeof Chart>

const Lifecycle = z
  .object({
    field: z.string().meta({ description: 'The field with the state.', examples: ['status'] }),
    initial: z.string().meta({ description: 'The state of a new record.', examples: ['draft'] }),
    moves: z
      .array(
        z.object({
          name: z.string().meta({ description: 'The move.', examples: ['send'] }),
          from: z.array(z.string()).meta({ description: 'States in which it is possible.', examples: [['draft']] }),
          to: z.string().meta({ description: 'The state it leads to.', examples: ['sent'] }),
          label: label().optional(),
          description: z.string().optional().describe('What it does, in a sentence that is told before it is made.'),
        }),
      )
      .describe('The moves that people make.'),
  })
  .meta({ id: 'ScreenLifecycle' })

const layouts = () =>
  z
    .array(choice(['list', 'board', 'calendar']))
    .meta({ description: 'How its records can be seen, that first which links lead to.', examples: [['list', 'board']] })

const Group = z
  .object({
    title: label(),
    fields: z.array(z.string()).meta({ description: 'Names of fields, in their order.', examples: [['street', 'city']] }),
    is_folded: z
      .literal(true)
      .optional()
      .describe('It stands behind all others, closed in a form until something in it is said.'),
  })
  .meta({ id: 'ScreenGroup', description: 'Fields that stand together.' })
export type Group = z.infer<typeof Group>

const screenShape = {
  key: z.string().meta({ description: 'Names the screen, in addresses too.', examples: ['fleet'] }),
  module: z.string().meta({ description: 'Key of its module.', examples: ['fleet'] }),
  path: path(),
  title: z.string().meta({ description: 'What it shows, in the plural.', examples: ['Purchase orders'] }),
  noun: z.string().meta({ description: 'One of them, within a sentence.', examples: ['purchase order'] }),
  icon: z
    .string()
    .nullable()
    .meta({ description: 'Name of a picture; null: none is said.', examples: ['truck'] }),
  resource: z
    .string()
    .nullable()
    .meta({ description: 'Kind of record; null: rows that nothing refers to.', examples: ['purchase_order'] }),
  key_field: z.string().meta({ description: 'The field that addresses one.', examples: ['id'] }),
  title_field: z
    .string()
    .nullable()
    .meta({ description: 'The field that people know one by.', examples: ['number'] }),
  allow: permissions(),
  list: List.describe('How records stand in a list.'),
  board: Board.nullable().describe('How its records stand in columns; null: no board.'),
  dates: z.array(z.string()).meta({
    description: 'Days and instants of the list by which records stand in a calendar and that it can be kept to a range of.',
    examples: [['due_date', 'created_at']],
  }),
  layouts: layouts(),
  sees_all: z
    .string()
    .nullable()
    .meta({
      description:
        'Permission without which people see only the records that are theirs; null: whoever may see the list sees all.',
      examples: ['fleet.assign'],
    }),
  groups: z.array(Group).describe('How fields of forms and records stand together; what none names stands behind them.'),
  begins: z
    .object({
      from: z
        .string()
        .meta({ description: 'Field of the form that names the other record.', examples: ['allocations.invoice_id'] }),
      fields: z.record(z.string(), z.string()).meta({
        description: 'For fields of the form, which of that record’s they begin with.',
        examples: [{ amount: 'balance_due' }],
      }),
    })
    .nullable()
    .describe('What a new one takes from a record that it is made for; null: nothing.'),
  begun: z
    .object({
      says: z.string().meta({
        description: 'Where that is, in a sentence for people.',
        examples: ['An import begins in the list of what it brings in.'],
      }),
      import_of: z
        .string()
        .nullable()
        .meta({ description: 'Key of the screen whose import makes them; null: it is no single one.', examples: ['fleet'] }),
      allow: permissions(),
    })
    .nullable()
    .describe('Where its records begin, in place of a form; null: in a form, or not here.'),
  drawn: z.record(z.string(), z.string()).meta({
    description: 'Places that the console’s own scripts draw by hand: by each the script.',
    examples: [{ edit: 'editor' }],
  }),
  lifecycle: Lifecycle.nullable().describe('States and the moves between them; null: none.'),
  record: z
    .object({ path: path(), allow: permissions(), fields: z.array(Field).describe('What a record shows, in its order.') })
    .nullable()
    .describe('One of them; null: there is only the list.'),
  create: Form.nullable().describe('How one is made; null: not here.'),
  edit: Form.nullable().describe('How one is changed; null: not here.'),
  remove: Form.nullable().describe('How one is deleted; null: not here.'),
  restore: Form.nullable().describe('How one is taken out of the trash; null: there is none.'),
  purge: Form.nullable().describe('How one is deleted for good; null: not here.'),
  actions: z.array(Action).describe('What can be done with a record beyond these.'),
  list_actions: z.array(Action).describe('What can be done that is about none in particular.'),
  downloads: z.array(Download).describe('Files that are made of a record.'),
  parts: z.array(Part).describe('Lists that belong to a record.'),
  related: z.array(Related).describe('Lists of other records that name one of these.'),
  stats: path().nullable().describe('Where its records are counted.'),
  chart: Chart.nullable().describe('How they are drawn over time; null: they aren’t.'),
  export: Download.nullable().describe('The list as a file; null: not here.'),
  imports: z
    .string()
    .nullable()
    .meta({ description: 'Key of the screen of its imports; null: none.', examples: ['leads-imports'] }),
  bulk: Form.nullable().describe('Where a deed is done to many; null: not here.'),
  notes: Form.nullable().describe('How a note is written; they are read at the same path; null: none are taken.'),
  timeline: path().nullable().describe('Where its history is read, with the values that changed; null: none is kept.'),
  record_actions: path().nullable().describe('Where it is told which actions a record allows now; null: not told.'),
}

export const Screen = z.object(screenShape).meta({ id: 'Screen' })
export type Screen = z.infer<typeof Screen>

/** Summary of a screen that clients need before it is opened: for links and available functions. */
export const ScreenSummary = z
  .object({
    ...z.object(screenShape).pick({
      key: true,
      module: true,
      path: true,
      title: true,
      noun: true,
      icon: true,
      resource: true,
      key_field: true,
      title_field: true,
      allow: true,
      layouts: true,
    }).shape,
    may_create: z.boolean().describe('Whether the caller may make one.'),
    is_searchable: z.boolean().describe('Whether the list takes `search`.'),
    has_record: z.boolean().describe('Whether one of them has a page.'),
    has_board: z.boolean().describe('Whether they stand on a board.'),
    list_actions: z
      .array(Action.pick({ key: true, label: true }))
      .describe('What the caller may do here that is about none in particular.'),
  })
  .meta({ id: 'ScreenSummary' })
export type ScreenSummary = z.infer<typeof ScreenSummary>

/** A custom page next to the lists: an inbox, the attendance of a day. */
const ScreenPage = z
  .object({
    key: z.string().meta({ description: 'Its word in addresses.', examples: ['inbox'] }),
    module: z.string().meta({ description: 'Key of its module.', examples: ['email'] }),
    title: z.string().meta({ description: 'What people call it.', examples: ['Inbox'] }),
    icon: z
      .string()
      .nullable()
      .meta({ description: 'Name of a picture; null: none is said.', examples: ['mail'] }),
    is_beside: z.literal(true).optional().describe('It stands below the list that its module is named for, not in its place.'),
    drawn: z.string().meta({ description: 'The script of the console that draws it.', examples: ['inbox'] }),
  })
  .meta({ id: 'ScreenPage' })
export type ScreenPage = z.infer<typeof ScreenPage>

/** Initial data of the console. */
export const Console = z
  .object({
    api: choice(['workspace', 'platform']).describe('Whose people these are.'),
    user: z
      .object({
        id: z.int(),
        name: z.string(),
        email: z.string(),
        avatar_url: z.string().nullable().meta({ description: 'Their picture; null: none.', format: 'uri' }),
        role: z.array(z.string()).meta({ description: 'Names of their roles.', examples: [['member']] }),
        is_owner: z.boolean().describe('Whether they own the workspace.'),
        impersonated_by: z
          .string()
          .nullable()
          .meta({ description: 'Name of whoever works as this user; null: it is themselves.', examples: ['Ann Ash'] }),
      })
      .describe('Who is signed in.'),
    workspace: z
      .object({
        id: z.int(),
        slug: z.string(),
        name: z.string(),
        timezone: z.string(),
        currency: z.string(),
        locale: z.string(),
        accent: z
          .string()
          .nullable()
          .meta({ description: 'The colour that the workspace chose; null: none.', examples: ['#1f4f82'] }),
        logo_url: z.string().nullable().meta({ description: 'Its picture; null: none.', format: 'uri' }),
      })
      .nullable()
      .describe('Where they work; null: on the platform.'),
    permissions: z.array(z.string()).meta({ description: 'What they may do, of what is installed.', examples: [['fleet.view']] }),
    modules: z
      .array(
        z.object({
          key: z.string().meta({ description: 'The module.', examples: ['fleet'] }),
          title: z.string().meta({ description: 'What people call it.', examples: ['Vendors'] }),
          category: z
            .string()
            .nullable()
            .meta({ description: 'What modules are grouped by; null: none.', examples: ['Work'] }),
          screens: z.array(z.string()).meta({ description: 'Keys of its screens that they may see.', examples: [['fleet']] }),
        }),
      )
      .describe('The modules that work here, in the order of a navigation.'),
    screens: z.array(ScreenSummary).describe('The screens that they may see; each is whole at `GET /console/screens/{key}`.'),
    pages: z.array(ScreenPage).describe('Places of modules beside their lists.'),
    unread_notifications: z
      .int()
      .nullable()
      .meta({ description: 'How many notifications they haven’t read; null: there are none on the platform.', examples: [3] }),
  })
  .meta({ id: 'Console' })
export type Console = z.infer<typeof Console>
