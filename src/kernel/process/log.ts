/** Log: JSON lines without passwords, tokens or user input. */
import pino, { type DestinationStream, type Logger } from 'pino'

interface Logged extends Error {
  code?: unknown
  constraint?: unknown
  table?: unknown
}

/**
 * Serialises an error without the driver's properties: PostgreSQL's `detail` repeats the row, and the parameters are user input.
 */
const err = ({ name, message, stack, code, constraint, table, cause }: Logged): object => ({
  type: name,
  message,
  stack,
  code,
  constraint,
  table,
  ...(cause instanceof Error ? { cause: err(cause) } : {}),
})

/** Returns a logger with a minimum level, which writes to standard output by default. */
export const logTo = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      redact: ['*.password', '*.token', '*.headers'], // the form parser logs its own object with all headers
      serializers: { err: (error) => (error instanceof Error ? err(error) : error) },
    },
    destination ?? pino.destination(1),
  )
