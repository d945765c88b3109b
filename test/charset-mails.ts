/**
 * Mails in all kinds of charsets: declared correctly, wrongly, by other names, only in the HTML or not at all, in bodies and
 * headers.
 */

export interface CharsetMail {
  name: string
  content: Buffer
  /** Expected text of the body, the snippet, the subject and the sender's name. */
  text: string
}

/** A charset with its name in mails, a text, and the text's bytes as latin1. */
export const SAMPLES: [charset: string, text: string, bytes: string][] = [
  ['utf-8', 'Jürgen Größe €', Buffer.from('Jürgen Größe €').toString('latin1')],
  ['windows-1252', 'Jürgen Größe €', 'J\xfcrgen Gr\xf6\xdfe \x80'],
  ['iso8859_1', 'Jürgen Größe', 'J\xfcrgen Gr\xf6\xdfe'],
  ['iso-8859-15', 'Größe 5 €', 'Gr\xf6\xdfe 5 \xa4'],
  ['latin2', 'Łódź', '\xa3\xf3d\xbc'],
  ['win-1250', 'Łódź', '\xa3\xf3d\x9f'],
  ['cp1251', 'Привет', '\xcf\xf0\xe8\xe2\xe5\xf2'],
  ['koi8-r', 'Привет', '\xf0\xd2\xc9\xd7\xc5\xd4'],
  ['iso-8859-7', 'Καλημέρα', '\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1'],
  ['windows-1255', 'שלום', '\xf9\xec\xe5\xed'],
  ['x-cp1256', 'سلام', '\xd3\xe1\xc7\xe3'],
  ['iso-8859-9', 'İyi günler', '\xddyi g\xfcnler'],
  ['gb2312', '你好，世界', '\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7'],
  ['gb_2312-80', '模拟', '\xc4\xa3\xc4\xe2'],
  ['big5-hkscs', '你好', '\xa7A\xa6n'],
  ['sjis-win', 'こんにちは', '\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd'],
  ['eucjp', 'こんにちは', '\xa4\xb3\xa4\xf3\xa4\xcb\xa4\xc1\xa4\xcf'],
  ['ks_c_5601-1987', '안녕', '\xbe\xc8\xb3\xe7'],
  ['tis620', 'สวัสดี', '\xca\xc7\xd1\xca\xb4\xd5'],
  ['cp850', 'Jürgen', 'J\x81rgen'],
  ['iso-2022-jp-ms', 'こんにちは', '\x1b$B$3$s$K$A$O\x1b(B'],
  ['iso-2022-kr', '안녕', '\x1b$)C\x0e>H3g\x0f'],
  ['hz-gb-2312', '你好', '~{Dc:C~}'],
  ['unicode-1-1-utf-7', 'Größe', 'Gr+APYA3w-e'],
]

/** Names that contradict the bytes of these texts, which must be decoded all the same. */
const WRONG: [bytes: 'utf-8' | 'windows-1252', names: string[]][] = [
  ['utf-8', ['', 'us-ascii', 'iso-8859-1', 'windows-1252', 'gb2312', 'koi8-r', 'unknown-8bit', 'no-such-charset', 'utf-16']],
  ['windows-1252', ['', 'us-ascii', 'utf-8', '8bit', 'no-such-charset', 'iso-2022-jp', 'utf-16', 'x-user-defined']],
]

const PLAIN = 'Mallory'

interface Parts {
  type: string
  body: string
  subject?: string
  from?: string
}

const mail = (name: string, text: string, { type, body, subject = 'Test', from = PLAIN }: Parts): CharsetMail => ({
  name,
  text,
  content: Buffer.from(
    [
      `From: ${from} <mallory@sender.test>`,
      `Subject: ${subject}`,
      'To: bob@firm.test',
      'Date: Thu, 01 Oct 2026 00:00:00 GMT',
      `Message-ID: <${name.replaceAll(/\W+/g, '-')}@charsets.test>`,
      'MIME-Version: 1.0',
      `Content-Type: ${type}`,
      'Content-Transfer-Encoding: 8bit',
      '',
      body,
    ].join('\r\n'),
    'latin1',
  ),
})

const typeOf = (mime: string, charset: string) => (charset ? `${mime}; charset=${charset}` : mime)
const word = (charset: string, encoding: string, payload: string) => `=?${charset}?${encoding}?${payload}?=`
const quotedPrintable = (bytes: string) =>
  bytes.replace(/[^A-Za-z]/g, (byte) => `=${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64')

/** Encoded words cut after an odd number of bytes: a character may be split between them. */
function tornWords(charset: string, bytes: string): string {
  const half = (bytes.length >> 1) | 1
  return [bytes.slice(0, half), bytes.slice(half)].map((part) => word(charset, 'B', base64(part))).join('\r\n ')
}

/** Returns whether bytes can be in a raw header, which must not contain control characters. */
const isRaw = (bytes: string) => !/[\x00-\x1f]/.test(bytes) && /[\x80-\xff]/.test(bytes)

/** Returns mails with the text in the body (`inBody`), or in subject and sender (`inHeaders`). */
export function charsetMails(): { inBody: CharsetMail[]; inHeaders: CharsetMail[] } {
  const inBody: CharsetMail[] = []
  const inHeaders: CharsetMail[] = []
  for (const [charset, text, bytes] of SAMPLES) {
    inBody.push(mail(`body in ${charset}`, text, { type: typeOf('text/plain', charset), body: bytes }))
    const html = `<html><head><meta charset="${charset}"></head><body><p>${bytes}</p></body></html>`
    if (/[\x80-\xff]/.test(bytes)) inBody.push(mail(`meta of ${charset}`, text, { type: 'text/html', body: html }))
    const subject = word(charset, 'Q', quotedPrintable(bytes))
    inHeaders.push(
      mail(`words in ${charset}`, text, { type: 'text/plain', body: 'x', subject, from: word(charset, 'b', base64(bytes)) }),
    )
    const torn = tornWords(charset, bytes)
    if (isRaw(bytes)) {
      inHeaders.push(mail(`torn words in ${charset}`, text, { type: 'text/plain', body: 'x', subject: torn, from: torn }))
      inHeaders.push(
        mail(`raw in ${charset}`, text, { type: typeOf('text/plain', charset), body: 'x', subject: bytes, from: bytes }),
      )
    }
  }
  for (const [real, names] of WRONG)
    for (const name of names) {
      const [, text, bytes] = SAMPLES.find(([charset]) => charset === real)!
      inBody.push(mail(`${real} as ${name || 'nothing'}`, text, { type: typeOf('text/plain', name), body: bytes }))
      inHeaders.push(
        mail(`raw ${real} as ${name || 'nothing'}`, text, {
          type: typeOf('text/plain', name),
          body: 'x',
          subject: bytes,
          from: bytes,
        }),
      )
      if (name)
        inHeaders.push(
          mail(`words of ${real} as ${name}`, text, {
            type: 'text/plain',
            body: 'x',
            subject: tornWords(name, bytes),
            from: word(name, 'B', base64(bytes)),
          }),
        )
    }
  return { inBody, inHeaders }
}
