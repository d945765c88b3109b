import { insertNotes } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { aims, type Case, type Filled, type Suite } from '../prepare.ts'

const projects = '/api/tenant/v1/projects'
const MINUTE = 60_000
/**
 * Number of recent projects that are open, in addition to about one in a hundred of the others. Most of a company's projects are
 * closed.
 */
const OPEN = 5000
const over = ['completed', 'completed', 'completed', 'cancelled'] as const
const open = ['active', 'active', 'planned', 'on_hold'] as const

export default {
  title: 'Projects',
  async cases({ services, workspace, ask, caseOf }, records): Promise<Case[]> {
    const firm = await workspace(2000)
    await fill(firm, records)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token } = firm
    const [{ id }] = (await ask(token, projects)).json().data
    const among = `among ${records.toLocaleString('en')}`
    return [
      { ...(await caseOf('list', `list of 25 ${among}`, token, projects)), atLeast: aims.list },
      { ...(await caseOf('board', `board of 5 × 50 ${among}`, token, `${projects}/board`)), atLeast: 0.6 },
      await caseOf('boardSmall', `board of 5 × 5 ${among}`, token, `${projects}/board?per_column=5`),
      { ...(await caseOf('show', 'show', token, `${projects}/${id}`)), atLeast: aims.show },
      await caseOf('stats', 'stats', token, `${projects}/stats`),
    ]
  },
} satisfies Suite

/** Inserts projects five minutes apart, with a company, a contact, up to three members, and a note on every fifth. */
const fill = ({ id, inside }: Filled, records: number) =>
  inside(async (ctx) => {
    const idsOf = async (table: 'users' | 'contacts' | 'companies') =>
      (await ctx.tx.selectFrom(table).select('id').where('tenant_id', '=', id).orderBy('id').execute()).map((row) => row.id)
    const [people, contacts, companies] = [await idsOf('users'), await idsOf('contacts'), await idsOf('companies')]
    const at = (n: number, days = 0) => new Date(Date.parse(ctx.now) - ((records - n) * 5 - days * 1440) * MINUTE).toISOString()
    const rows = Array.from({ length: records }, (_, n) => ({
      title: `Project no. ${n}`,
      status: (records - n <= OPEN || n % 101 === 0 ? open : over)[n % 4]!,
      contact_id: contacts[n % contacts.length]!,
      company_id: companies[n % companies.length]!,
      starts_on: at(n).slice(0, 10),
      ends_on: at(n, (n * 37) % 200).slice(0, 10),
      assigned_to: people[n % people.length]!,
      created_by: people[(n * 7) % people.length]!,
      created_at: at(n),
      updated_at: at(n),
    }))
    const ids = await insertRows(ctx, 'projects', rows)
    const members = ids.flatMap((project_id, n) =>
      Array.from({ length: n % 4 }, (_, m) => ({ project_id, user_id: people[(n + m + 1) % people.length]! })),
    )
    const notes = ids.flatMap((of, n) => (n % 5 ? [] : [{ id: of, body: 'Two weeks behind.', at: ctx.now, by: people[0]! }]))
    await insertRows(ctx, 'project_members', members)
    await insertNotes(ctx, 'projects', notes)
  })
