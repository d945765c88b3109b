/** A connection of its own beside the pool: of what takes no role, as commands and the start of a process. */
import pg from 'pg'

/** Work on a connection that ends with it. Of one that is lost the statement under way fails, or the next one. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>, name?: string): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name })
  client.on('error', () => {}) // told by the statement; without a listener it would end the process
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
