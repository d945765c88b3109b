/** Worst-case texts for parsers and patterns, of a given length, and the text fields of a body. */
import type { Operation } from '../contract/operations.ts'
import { bare, type Schema } from '../contract/values.ts'

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

/**
 * Returns texts by name, each of the full length. Some end in a mismatch, so that a backtracking pattern tries all alternatives.
 */
export function worstTexts(length: number): Record<string, string> {
  const closed = (begin: string, unit: string, end: string) =>
    begin + fill(unit, Math.max(0, length - begin.length - end.length)) + end
  return {
    spaces: fill(' ', length),
    'spaces within': closed('x', ' ', 'x'),
    'line breaks': closed('x', '\n', 'x'),
    'opened elements': fill('<div>', length),
    'opened links': fill('<a href="', length),
    'preformatted spaces': closed('<pre>a', ' ', 'x</pre>'),
    'less-than signs': fill('<', length),
    ampersands: fill('&', length),
    placeholders: fill('{{a}}', length),
    parentheses: fill('(', length),
    quotes: fill('"', length),
    'mail addresses': fill('a@', length),
    'one letter with accents': closed('a', '\u0301', ''),
    emoji: fill('👩‍', length).toWellFormed(),
    digits: fill('9', length),
    dots: closed('a', '.', '@'),
    dashes: closed('http://', '-', '!'),
  }
}

export interface TextField {
  /** `lines.0.description` */
  field: string
  /** Maximum number of characters. */
  maxLength: number
}

/** Returns every text field of an operation's body, including nested ones. */
export function textFields({ bodies }: Operation): TextField[] {
  const schema = bodies['multipart/form-data'] ?? bodies['application/json']
  return schema ? within(schema, [], 0) : []
}

function within(schema: Schema, path: string[], depth: number): TextField[] {
  const one = bare(schema)
  if (depth > 6) return []
  if (one.items) return within(one.items, [...path, '0'], depth + 1)
  if (one.properties) return Object.entries(one.properties).flatMap(([name, field]) => within(field, [...path, name], depth + 1))
  if (one.type !== 'string' || one.enum || one.format === 'binary' || !path.length) return []
  return [{ field: path.join('.'), maxLength: one.maxLength ?? 100 }]
}
