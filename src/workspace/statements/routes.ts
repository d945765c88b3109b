/** Statements of companies and contacts. */
import { limiter } from '#kernel/http/limits.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { statementPdf } from './paper.ts'
import { Statement, StatementQuery, statementOf } from './statements.ts'

const allow = 'payments.view'
/** Thirty a minute by user. */
const drawing = limiter({ name: 'statements-pdf', points: 30, seconds: 60, by: 'user' })

const statementRoutes = (path: 'companies' | 'contacts', Noun: 'Company' | 'Contact'): Route[] => {
  const by = path === 'companies' ? 'company_id' : 'contact_id'
  const noun = Noun.toLowerCase()
  return [
    workspace.get(
      `/${path}/:id/statement`,
      {
        allow,
        query: StatementQuery,
        reply: Statement,
        operation: `show${Noun}Statement`,
        summary: `Show the statement of a ${noun}`,
        description: `Answers what the ${noun} owed before a period, the invoices, credit notes and payments of it, what was owed behind each, and what was left to pay at its end, by currency. Needs \`invoices.assign\` too, and \`credit-notes.view\` where that module is installed.`,
      },
      (ctx, { id, query }) => statementOf(ctx, { by, id }, query),
    ),
    workspace.get(
      `/${path}/:id/statement/pdf`,
      {
        allow,
        limit: drawing,
        query: StatementQuery,
        file: 'application/pdf',
        operation: `download${Noun}Statement`,
        summary: `Download the statement of a ${noun}`,
        description: `The statement as a PDF, in the language of the ${noun}.`,
      },
      async (ctx, { id, query }) => {
        const stated = await statementOf(ctx, { by, id }, query)
        const drawn = await statementPdf(ctx, { by, id }, stated)
        const name = `statement-${stated.from}-${stated.to}.pdf`
        return { name, type: 'application/pdf', content: () => renderPdf(ctx.services, ctx.tenant.id, drawn) }
      },
    ),
  ]
}

export default [...statementRoutes('companies', 'Company'), ...statementRoutes('contacts', 'Contact')]
