/** Decodes header texts, encoded words (RFC 2047) and raw bytes, with the charsets used for bodies. */
import { readText } from './charsets.ts'
import { fromBase64, fromQuotedPrintable } from './transfer-encodings.ts'

/** `=?charset*language?Q?…?=`. Spaces in it, which the RFC forbids, are common. */
const WORD = /=\?([^?\s*]{1,100})(?:\*[^?\s]{0,100})?\?([bq])\?([^?\r\n]*)\?=/gi

/** Whether a header's bytes, as latin1, contain an encoded word. */
export const hasEncodedWords = (text: string) => text.includes('=?') && text.search(WORD) >= 0

/**
 * Decodes a header, given its bytes as latin1. Adjacent words of one charset are decoded together, because some senders split
 * characters between them. `charset` is the one of bytes outside of words.
 */
export function decodeHeader(text: string, charset: string): string {
  const pieces: string[] = []
  let run: { charset: string; bytes: Uint8Array[] } | undefined
  const end = () => {
    if (run) pieces.push(readText(Buffer.concat(run.bytes), { declared: run.charset }))
    run = undefined
  }
  let at = 0
  for (const { index, 0: whole, 1: name = '', 2: encoding = '', 3: payload = '' } of text.matchAll(WORD)) {
    const between = text.slice(at, index)
    at = index + whole.length
    const follows = run !== undefined && /^\s*$/.test(between)
    if (!follows || run?.charset !== name.toLowerCase()) end()
    if (!follows && between) pieces.push(readText(Buffer.from(between, 'latin1'), { declared: charset }))
    run ??= { charset: name.toLowerCase(), bytes: [] }
    run.bytes.push(bytesOf(encoding, payload))
  }
  end()
  if (at < text.length) pieces.push(readText(Buffer.from(text.slice(at), 'latin1'), { declared: charset }))
  return pieces.join('')
}

const bytesOf = (encoding: string, payload: string): Uint8Array => {
  const isBase64 = encoding.toLowerCase() === 'b'
  const bytes = Buffer.from(isBase64 ? payload : payload.replaceAll('_', ' '), 'latin1')
  return isBase64 ? fromBase64(bytes) : fromQuotedPrintable(bytes)
}
