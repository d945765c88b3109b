/** Text out of the bytes of a part: its transfer encoding undone, its charset read. Bytes that are none become U+FFFD. */
import PostalMime from 'postal-mime'
import type { TextPart } from './structure.ts'

/** A part may be cut anywhere. */
export async function decodeText({ mime, charset, encoding, flowed }: TextPart, bytes: Buffer): Promise<string> {
  const token = (text: string) => text.replace(/[^\w.:+-]/g, '') || 'utf-8'
  const head = [
    `Content-Type: ${mime}; charset="${token(charset)}"${flowed ? '; format=flowed' : ''}`,
    `Content-Transfer-Encoding: ${token(encoding)}`,
  ]
  const { text, html } = await PostalMime.parse(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
  return (mime === 'text/html' ? (html ?? '') : (text ?? '')).toWellFormed().replaceAll('\0', '')
}
