/** Captures the SQL that Atrium sends for one request. */
import pg from 'pg'

/** SQL statement with its parameters. */
export interface Statement {
  text: string
  values: unknown[]
}

const transactionControl = /^(BEGIN|COMMIT|ROLLBACK|SET)\b/i

/** Returns the statements with their values that work in this process sends, without transaction control. */
export async function capture(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: any[]) {
    const [asked] = given
    const batch: Statement[] =
      asked?.statements ?? (typeof asked === 'string' ? [{ text: asked, values: given[1] ?? [] }] : [asked])
    const ours = (this as any).connectionParameters.application_name === 'atrium' // not the queue's connections
    if (ours)
      for (const { text, values } of batch) if (text && !transactionControl.test(text)) seen.push({ text, values: values ?? [] })
    return (query as any).apply(this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return seen
}
