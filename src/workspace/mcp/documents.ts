/** Extracts the text of a file that an operation returns: a text file or a PDF. */
import type { Database } from '#kernel/database/connect.ts'
import type { InnerReply } from '#kernel/http/in-process.ts'
import { type Limits, limiter, limitsIn } from '#kernel/http/limits.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { bounded } from './bounded.ts'
import { type Asked, answered, readOn, request, ToolError, type ToolReply, told } from './calling.ts'
import type { Caller, Operation } from './operations.ts'
import type { textOfPdf } from './pdf-text.ts'

/** Maximum size: of text files the beginning is read, larger PDFs not at all. */
const MAX_FILE_BYTES = 20 * 1024 * 1024

const readPdf = isolated<typeof textOfPdf>(import.meta.resolve('./pdf-text.ts'), 'textOfPdf', { seconds: 10, megabytes: 500 })

/**
 * Rate limit of files for a user's agents: each may take seconds of a child process, while MCP messages are limited to 600 a
 * minute.
 */
const files = limiter({ name: 'mcp-documents', points: 60, seconds: 60, by: 'user' })

const counters = new WeakMap<Database, Limits>()
/** Counts per user rather than per key, because a user may have many keys. */
const countFile = ({ services: { database }, tenant, actor }: Caller) =>
  counters.getOrInsertComputed(database, limitsIn).consume(files, `${tenant.id} ${actor.id}`)

/** Fetches a file and returns its text from a character on. */
export async function textOfFile(
  caller: Caller,
  operation: Operation,
  asked: Omit<Asked, 'operation'>,
  from: number,
): Promise<ToolReply> {
  await countFile(caller)
  const reply = await request(caller, operation, asked, { maxBytes: MAX_FILE_BYTES })
  if (reply.status >= 400) return answered(reply)
  const type = String(reply.headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
  const { text, ...more } = await textOf(caller, type, reply)
  if (from > text.length) throw new ToolError('The text ends before.', { errors: { from: [`Must be at most ${text.length}.`] } })
  const { value, cuts } = bounded(text.slice(from), { at: 'text', from })
  return told({
    type,
    ...more,
    characters: text.length,
    text: value,
    ...readOn(cuts.map(({ shown, of }) => ({ at: 'text', shown, of }))),
  })
}

async function textOf(caller: Caller, type: string, { body, isCut }: InnerReply) {
  if (type === 'application/pdf') {
    if (isCut) throw new ToolError(`The PDF has more than ${MAX_FILE_BYTES / 1024 / 1024} MB: it can’t be read here.`)
    const { pages, texts, isTooMuch } = await readPdf(caller.services, caller.tenant.id, body).catch(refuseUnreadable)
    const text = texts.map((page, n) => `[page ${n + 1}]\n${page.trim()}`).join('\n\n')
    return {
      pages,
      ...(texts.length < pages ? { pages_read: texts.length } : {}),
      ...(isTooMuch ? { incomplete: 'The PDF takes too long to read: the text ends where reading ended.' } : {}),
      text,
    }
  }
  if (/^text\/|json$|\bxml$/.test(type)) return { text: body.toString('utf8'), ...(isCut ? { is_cut: true } : {}) }
  throw new ToolError(`Of files of the type ${type} no text can be read.`)
}

function refuseUnreadable(error: unknown): never {
  if (error instanceof Error && (isBeyondReading(error) || !('status' in error)))
    throw new ToolError('The PDF can’t be read: it is broken, locked by a password, or too much.')
  throw error
}
