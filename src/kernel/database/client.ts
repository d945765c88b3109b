/** A dedicated connection outside the pool, without a role: for commands and the start of a process. */
import pg from 'pg'

/** Runs work on a connection that is closed afterwards. If the connection is lost, the current or next statement fails. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>, name?: string): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name })
  client.on('error', () => {}) // the statement reports the error; without a listener the process would crash
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
