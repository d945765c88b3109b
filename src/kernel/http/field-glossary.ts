/**
 * Descriptions for the API documents of fields that occur in many modules, by the field's name or its suffix. `{noun}` is the
 * record that the field belongs to ("purchase order"), `{title}` the field's name in words. A description in a field's schema
 * (`.describe`) takes precedence.
 */

/** Description and example of a field. */
export interface Meaning {
  /** Description in replies, and in bodies if `sent` is missing. */
  says: string
  /** Description in bodies: what may be sent, and the default. */
  sent?: string
  example?: unknown
}

type Entry = string | [says: string, example: unknown] | Meaning

const meaningOf = (entry: Entry): Meaning =>
  typeof entry === 'string' ? { says: entry } : Array.isArray(entry) ? { says: entry[0], example: entry[1] } : entry

const meaningsOf = (entries: Record<string, Entry>) =>
  new Map(Object.entries(entries).map(([name, entry]) => [name, meaningOf(entry)]))

/** Fields that hold a single value. */
export const values = meaningsOf({
  // Identity
  id: ['Given by the service when the {noun} is made, and never given again. Paths and references name the {noun} by it.', 1],
  uuid: [
    'Given by the service when the {noun} is made. Unlike the id it can’t be guessed: links to the outside carry it.',
    '0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f',
  ],
  external_id: ['What another system calls the {noun}: one {noun} of those not deleted. null: nothing.', 'shop-17'],
  number: [
    'What people call the {noun}. Given by the service: the prefix from the settings and a counter of the workspace’s own.',
    'PO-00001',
  ],
  key: ['What code and URLs call the {noun}: lower-case words with hyphens. It never changes.', 'repair-shops'],
  slug: ['The {noun}’s short name in URLs: lower-case letters, digits and hyphens.', 'nordwind'],
  code: ['A short text that people know the {noun} by.', 'MAIN'],

  // Names and descriptions
  name: ['What people call the {noun}: the name that lists, documents and references show.', 'Nordwind'],
  title: ['One line that says what the {noun} is about. Lists, documents and references show it.', 'Office desks'],
  description: ['Free text about the {noun} for people; nothing is read out of it.', 'Solid oak, delivered assembled.'],
  label: ['The {noun} as a list or menu shows it.', 'Nordwind GmbH'],
  first_name: ['Given name.', 'Ann'],
  last_name: ['Family name; null where a person has a single name.', 'Ash'],
  job_title: ['What the person does at their company.', 'Head of purchasing'],
  notes: ['Free text about the {noun}: one text, without author and history.', 'Delivers on Tuesdays.'],
  'notes:html': [
    'Formatted text that is printed on the {noun}, below its lines. What is no formatting is taken out of the HTML.',
    '<p>Thank you for your trust.</p>',
  ],
  'terms_and_conditions:html': [
    'Formatted text that is printed at the end of the {noun}. What is no formatting is taken out of the HTML.',
    '<p>Payable within 14 days.</p>',
  ],
  'body:html': ['Formatted text. What is no formatting (scripts, forms, frames) is taken out of the HTML.', '<p>Oak, oiled.</p>'],
  body: ['The text of the {noun}, as it was written.', 'Called, and will decide on Friday.'],
  message: ['For people, in English. It may be worded otherwise tomorrow: programs look at `code`.', 'Vendor created.'],
  group: ['Under which heading it stands.', 'fleet'],
  event: ['What was done: `tenant_archived`.', 'tenant_archived'],
  host: ['Name of the server.', 'atrium.example'],
  port: ['Port of the server.', 443],
  reference: ['What somebody else calls it: the number of a transfer, of an order.', 'RF18 5390 0754'],
  sku: ['Stock keeping unit: the number by which a product is ordered and counted.', 'DESK-OAK'],
  url: ['Address to open.', 'https://atrium.example/'],
  processed: ['How many went well.', 2],
  reason: ['Why, in words for people.', 'The customer asked for it.'],
  subject: ['Subject line of the mail.', 'Your quotation'],
  color: ['For screens: `#` and six hexadecimal digits; null leaves it to the client.', '#1f4f82'],

  // Contact details
  email: ['Address for mail. It is kept in lower case.', 'ann@nordwind.example'],
  pending_email: ['Address that was asked for and is not proven yet; null: none.', null],
  phone: [
    'Telephone number as people write it. Spaces and a leading + are kept; nothing is dialled by the service.',
    '+49 30 1234567',
  ],
  website: ['Address of the web site, with or without `https://`.', 'nordwind.example'],
  address: ['Postal address as it is printed, with line breaks.', 'Hafenstraße 4\n20457 Hamburg'],
  tax_id: ['Tax or VAT number, printed on documents. It is not checked against any register.', 'DE123456789'],
  industry: ['Branch of business, in words.', 'Furniture'],
  country: ['ISO 3166-1 code of two letters.', 'DE'],
  timezone: ['IANA name of a time zone. Dates, daily jobs and “today” follow its clock.', 'Europe/Berlin'],
  locale: ['BCP 47 language tag: how dates, numbers and money are written.', 'en'],

  // State
  status: [
    'Where the {noun} stands in its life. It is moved on by the routes of its verbs (`send`, `status`); a step that is not possible from here is a 422 that names those that are.',
    'draft',
  ],
  type: ['What kind of {noun} it is.', 'user'],
  kind: ['Which kind of {noun} it is.', 'charge'],
  is_active: {
    says: 'Whether the {noun} can be chosen for something new. An inactive one stays where it is used already.',
    sent: 'false takes the {noun} out of choice for something new; where it is used already it stays.',
  },
  is_default: [
    'Whether this is the one that is taken where none is named. At most one is: making one the default ends that of another.',
    true,
  ],
  is_protected: 'Whether the service itself relies on it: it can be neither renamed nor deleted.',
  is_enabled: 'Whether it is in use.',
  is_current: 'Whether it is the session that asks.',
  is_read: 'Whether it was read.',
  sort_order: ['Place among the others, the smallest first; equal ones follow in the order of their names or ids.', 10],
  version: ['Semantic version: MAJOR.MINOR.PATCH.', '1.4.0'],

  // Users
  assigned_to: {
    says: 'Id of the user whose task the {noun} is; null: nobody’s. Users without the permission to assign see only their own.',
    sent: 'Id of the user whose task it is to be; null: nobody’s. Without the permission to assign, another user’s id is passed over and the {noun} is the caller’s.',
    example: 7,
  },
  created_by: ['Id of the user who made the {noun}; null where a job or a stranger’s form did.', 7],
  ip: ['IP address that the request came from, IPv4 or IPv6.', '203.0.113.7'],
  user_agent: ['What the client called itself in its `User-Agent` header.', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'],

  // Times
  created_at: ['When the {noun} was made. Set by the service; never changes.', '2026-11-20T09:30:00.000Z'],
  updated_at: ['When the {noun} was last changed. Set by the service.', '2026-11-21T14:05:12.345Z'],
  deleted_at: ['When the {noun} was moved to the trash; null: it is live.', null],
  suspended_at: ['When access was suspended; null: it is not. A suspended user is refused at once, in every session.', null],
  email_verified_at: [
    'When the address was proven by a mailed link, or vouched for; null: it is not proven, and nearly every route is a 403.',
    '2026-11-20T09:30:00.000Z',
  ],
  expires_at: ['From when on it is of no use any more; null: never.', '2026-12-20T09:30:00.000Z'],
  last_used_at: ['When it was last used; null: never.', '2026-11-21T14:05:12.345Z'],
  archived_at: ['When it was archived; null: it is not.', null],
  date: ['The day, in the calendar of the workspace.', '2026-11-20'],

  // Money and quantities
  currency: {
    says: 'ISO 4217 code of the currency that every amount beside it is in.',
    sent: 'ISO 4217 code of the currency that every amount beside it is in, in upper or lower case. Unless sent: that of the workspace.',
    example: 'EUR',
  },
  amount: ['An amount of money, exact, in the currency beside it.', 58.8],
  subtotal: ['Sum of the lines before discounts and tax. Computed by the service.', 49],
  discount_total: ['What all discounts of the lines come to. Computed by the service.', 0],
  tax_total: [
    'Sum of the tax of all lines, which is computed after discounts and rounded as the setting `tax_rounding` says. Computed by the service.',
    9.8,
  ],
  total: ['What is to be paid: subtotal less discounts plus tax. Computed by the service.', 58.8],
  tax_rate: ['Tax in percent of the net amount: 19 is 19 %.', 19],
  tax_amount: ['The tax that `amount` contains, in the same currency.', 9.8],
  unit_price: ['Net price of one unit, with up to six decimals.', 5],
  quantity: ['How many units, with up to six decimals.', 10],
  discount_value: [
    'In percent or as an amount, as `line_discount_type` of the document says; without effect where that is `none`.',
    0,
  ],
  line_discount_type: {
    says: 'How `discount_value` of the lines is meant: `none` (it counts for nothing), `percent` of the line, or `fixed`, an amount off the line.',
    example: 'none',
  },

  // Files
  mime: ['Media type of the content, judged by its bytes.', 'application/pdf'],
  size_bytes: ['Size of the content in bytes.', 48213],
  file_name: ['Name of the file as it was uploaded, without its path.', 'contacts-2026.csv'],
  sha256: ['SHA-256 of the content, in hexadecimal.', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  avatar_path: ['Where the picture is stored; for display use `avatar_url`. null: there is none.', null],
  avatar_url: ['Address of the picture, which opens without a session; null: there is none.', null],
  logo_path: ['Where the logo is stored; for display use `logo_url`. null: there is none.', null],
  logo_url: ['Address of the logo, which opens without a session; null: there is none.', null],

  // Secrets and credentials
  password: {
    says: 'A password.',
    sent: 'At least 8 characters, and what else the platform’s settings ask for.',
    example: 'nine green bottles',
  },
  password_confirmation: ['The new password once more, the same letter by letter.', 'nine green bottles'],
  // The module describes the kind of token.
  token: ['A secret that stands for what it was given out for.', 'Jm3rVtq0o8nWc5xYb1dKfA'],

  // Lists
  current_page: ['Which page this is, from 1.', 1],
  last_page: ['Number of the last page.', 4],
  per_page: ['How many rows a page has at most.', 25],
  total_count: ['How many there are in all; the rows are the first of them.', 12],
  next_page_url: ['Address of the next page under the same query; null: this is the last one.', '/api/tenant/v1/fleet?page=2'],
  prev_page_url: ['Address of the page before under the same query; null: this is the first one.', null],
  scope: {
    says: 'Whose records were counted: `org`, all of the workspace; `mine`, only those assigned to the caller, who may not see more.',
    example: 'org',
  },
  tenant_id: ['Id of the workspace.', 1],
  module_id: ['Id of the module in the catalogue.', 5],
  workspace_name: ['What its users see as the workspace’s name.', 'Nordwind'],
  users_count: ['How many users have it.', 3],
})

/** Fields that hold an object or a list of objects. */
export const structures = meaningsOf({
  assignee: 'The user whose task the {noun} is; null: nobody’s.',
  creator: 'The user who made the {noun}; null where a job or a stranger’s form did, or where that user is gone.',
  actor: 'Who did it; null where the service did.',
  impersonator: 'Who worked as the actor at that time; null: the actor acted in person.',
  latest_note: 'The newest note on the {noun}; null: there is none.',
  notes: 'The newest notes on the {noun}, the newest first, at most 100. `GET …/notes` has them all.',
  note_entries:
    'The newest notes on the {noun}, the newest first, at most 100. `GET …/notes` has them all. (`notes` is the record’s own text.)',
  activities: 'What happened to the {noun}, the newest first, at most 100 entries. `GET …/timeline` has them all.',
  lines: {
    says: 'What the {noun} consists of, in the order of `sort_order`.',
    sent: 'What the {noun} consists of. Sent with a change, they replace all lines that were there.',
  },
  tax_breakdown: 'Net amount and tax by tax rate, as the document shows them.',
  properties: ['What the entry’s sentence is made of; which fields there are depends on `type`.', {}],
  meta: 'Where in the list the page is; null where the reply is no list.',
  failed: 'Those that did not go well, each with the reason.',
  workspace: 'The workspace: how its users see it, and its timezone, currency and locale.',
  to: ['Who it is addressed to.', ['ann@nordwind.example']],
  cc: ['Who gets a copy.', ['office@nordwind.example']],
  bcc: ['Who gets a copy without the others seeing it.', ['archive@firm.example']],
  role: ['Names of the roles that the {noun} has. Their permissions add up.', ['member']],
  module: 'The module, shown in short.',
  tenant: 'The workspace, shown in short.',
  linked_company: 'The company that `company_id` names, shown in short.',
  ids: 'Ids of those it is about, each once.',
  rows: 'The first of the records that the widget is about, some of their fields.',
  user: 'The user, shown in short.',
  owner: 'Who owns it; null: nobody yet.',
  members: 'The users who work on it beside the assignee, by name.',
})

/** By the suffix of the name, where the name itself has no entry. The first suffix that matches counts. */
export const endings = meaningsOf({
  _count: ['How many {title} there are.', 3],
  _at: ['When that happened; null: not yet. UTC.', '2026-11-20T09:30:00.000Z'],
  _url: ['Address to open.', 'https://nordwind.example/'],
})
