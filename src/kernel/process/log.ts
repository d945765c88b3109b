/** The log: JSON lines, without passwords, tokens and what people typed. */
import pino, { type DestinationStream, type Logger } from 'pino'

interface Logged extends Error {
  code?: unknown
  constraint?: unknown
  table?: unknown
}

/** An error without what a driver hangs on it: PostgreSQL's `detail` repeats the row, its parameters are what was sent. */
const err = ({ name, message, stack, code, constraint, table, cause }: Logged): object => ({
  type: name,
  message,
  stack,
  code,
  constraint,
  table,
  ...(cause instanceof Error ? { cause: err(cause) } : {}),
})

/** A log of lines from a level on; to standard output unless another place is given. */
export const logTo = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      redact: ['*.password', '*.token', '*.headers'], // the reader of forms logs its own with all headers
      serializers: { err: (error) => (error instanceof Error ? err(error) : error) },
    },
    destination ?? pino.destination(1),
  )
