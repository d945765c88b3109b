/**
 * Formats the log's JSON lines for people: `12:34:56 GET /api/tenant/v1/vendors 200 12 ms, 3 statements 4 ms, workspace 1, user
 * 2`.
 */
import { styleText } from 'node:util'

const LEVELS: Record<number, Parameters<typeof styleText>[0]> = { 40: 'yellow', 50: 'red', 60: ['bold', 'red'] }
/** Fields that are in every line, or formatted separately. */
const UNSAID = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'request_id'])

/**
 * Formats a log line for a terminal; other lines are returned unchanged. Defects keep their `request_id`, and errors their
 * stacks.
 */
export function prettyLine(line: string): string {
  const entry = entryOf(line)
  if (!entry) return line
  const { level, time, msg, err, request_id: id, ...rest } = entry
  const at = styleText('dim', new Date(time).toTimeString().slice(0, 8))
  const said = msg === 'request' ? requestOf(rest) : `${msg ?? ''}${factsOf(rest)}`
  const style = LEVELS[level]
  const shown = style ? styleText(style, said) : said
  return [
    `${at} ${shown}${id && level >= 50 ? ` (${id})` : ''}`,
    ...(err ? [styleText('red', err.stack ?? err.message)] : []),
  ].join('\n')
}

function entryOf(line: string): Record<string, any> | undefined {
  if (!line.startsWith('{"level":')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function requestOf({ method, route, status, ms, db_ms, statements, ...rest }: Record<string, any>) {
  const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const database = statements === undefined ? '' : `, ${statements} statements ${db_ms} ms`
  return `${method} ${route} ${styleText(style, String(status))} ${ms} ms${styleText('dim', `${database}${factsOf(rest)}`)}`
}

const factsOf = (facts: Record<string, unknown>) =>
  Object.entries(facts)
    .filter(([name, value]) => !UNSAID.has(name) && value !== undefined)
    .map(([name, value]) => `, ${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('')
