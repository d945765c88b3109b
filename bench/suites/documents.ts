/** Documents: a list of a hundred thousand, and upload and download of a 50 MB file. */
import { sql } from 'kysely'
import { aims, type Case, type Filled, type Suite } from '../prepare.ts'
import { measureTransfers } from '../transfers.ts'

const documents = '/api/tenant/v1/documents'
let firm: Filled

export default {
  title: 'Documents',
  async cases({ services, workspace, ask, caseOf }, records): Promise<Case[]> {
    firm = await workspace(300)
    await fill(firm, records)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token } = firm
    const [{ id, category_id }] = (await ask(token, `${documents}?search=delivery`)).json().data
    const many = records.toLocaleString('en')
    return [
      { ...(await caseOf('list', `list of 25 among ${many}`, token, documents)), atLeast: aims.list },
      await caseOf('category', 'list of 25 of a category', token, `${documents}?category_id=${category_id}`),
      await caseOf('search', 'search by part of a name', token, `${documents}?search=note-77`),
      { ...(await caseOf('show', 'show', token, `${documents}/${id}`)), atLeast: aims.show },
      await caseOf('stats', 'stats', token, `${documents}/stats`),
    ]
  },
  figures: ({ services }, base) => measureTransfers(base, firm.token, services.config.DATA_DIR),
} satisfies Suite

/** Inserts documents whose files are rows only, since nobody opens them. Two in three belong to a contact. */
const fill = ({ id, inside }: Filled, records: number) =>
  inside(async (ctx) => {
    const n = sql`generate_series(1, ${records}::int) n`
    await sql`
      insert into stored_files (tenant_id, key, state, mime, bytes, sha256, created_at)
      select ${id}, 'benchmark/' || n, 'kept', 'text/plain', 1000, '', ${ctx.now} from ${n}`.execute(ctx.tx)
    await sql`
      insert into documents (tenant_id, title, original_name, mime, size_bytes, file_key, category_id, created_by, created_at, updated_at)
      select ${id}, 'Delivery note ' || n, 'note-' || n || '.txt', 'text/plain', 1000, 'benchmark/' || n,
        (select id from document_categories where tenant_id = ${id} order by id offset n % 4 limit 1),
        (select id from users where tenant_id = ${id} order by id limit 1),
        ${ctx.now}::timestamptz - n * interval '1 minute', ${ctx.now}::timestamptz - n * interval '1 minute'
      from ${n}`.execute(ctx.tx)
    await sql`
      insert into document_links (tenant_id, document_id, type, subject_id)
      select ${id}, d.id, 'contact', c.id from documents d
      join (select id, row_number() over (order by id) as n, count(*) over () as of from contacts where tenant_id = ${id}) c
        on c.n = d.id % c.of + 1
      where d.tenant_id = ${id} and d.id % 3 > 0 on conflict do nothing`.execute(ctx.tx)
    await sql`select app.sum_tallies('documents')`.execute(ctx.tx)
  })
