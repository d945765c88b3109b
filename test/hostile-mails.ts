/** Malformed mails, as attackers or faulty programs write them. */
import { charsetMails } from './charset-mails.ts'
import { tnefOf } from './tnef.ts'
import { worstHtml } from './worst-html.ts'

const MB = 1024 * 1024
type Mail = [name: string, content: Buffer]

/** Returns a mail with these headers in addition to the usual ones, and this body. Bytes are written as Latin-1. */
const mail = (name: string, head: string[], body: string): Mail => [
  name,
  Buffer.from(
    [
      'From: Mallory <mallory@sender.test>',
      'To: bob@firm.test',
      'Date: Thu, 01 Oct 2026 00:00:00 GMT',
      `Message-ID: <${name.replaceAll(/\W/g, '-')}@sender.test>`,
      ...head,
      '',
      body,
    ].join('\r\n'),
    'latin1',
  ),
]
const text = (name: string, type: string, encoding: string, body: string) =>
  mail(name, ['MIME-Version: 1.0', `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`], body)
const multipart = (name: string, parts: string[], end = '--b--\r\n') =>
  mail(
    name,
    ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}${end}`,
  )
const attached = (name: string, type: string, disposition: string, body = 'eA==') =>
  multipart(name, [
    `Content-Type: ${type}\r\nContent-Disposition: ${disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`,
  ])
const winmail = (name: string, content: Buffer) =>
  attached(name, 'application/ms-tnef; name="winmail.dat"', 'attachment', content.toString('base64').replace(/.{76}/g, '$&\r\n'))

const fill = (piece: string, length = MB) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
const base64 = (content: string) => Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')

function nested(depth: number): string {
  let part = 'Content-Type: text/plain\r\n\r\ninside'
  for (let n = 0; n < depth; n++) part = `Content-Type: multipart/mixed; boundary=n${n}e\r\n\r\n--n${n}e\r\n${part}\r\n--n${n}e--`
  return part
}

function forwarded(depth: number): string {
  let part = 'Subject: inside\r\n\r\ninside'
  for (let n = 0; n < depth; n++) part = `Subject: ${n}\r\nContent-Type: message/rfc822\r\n\r\n${part}`
  return part
}

const rtf = (body: string) => tnefOf({ rtf: `{\\rtf1\\ansi ${body}` })

export function hostileMails(): Mail[] {
  const many = (count: number, part: (n: number) => string) => Array.from({ length: count }, (_, n) => part(n))
  return [
    mail('nothing', [], ''),
    mail('zeros', [], fill('\0')),
    mail(
      'all bytes',
      ['Content-Type: text/plain; charset=utf-8'],
      fill(Array.from({ length: 256 }, (_, n) => String.fromCharCode(n)).join(''), 65_536),
    ),
    mail('one line', [], fill('x')),
    mail('line ends', [], fill('\r\n')),
    mail('carriage returns', [], fill('a\r')),
    ...['=?', '=?utf-8?Q?a?= ', '=?utf-8?B?////?= ', '=?no-such?B?YQ==?= ', 'a', '" ', '\\', '('].map((piece) =>
      mail(`subject of ${piece}`, [`Subject: ${fill(piece, 100_000)}`], 'x'),
    ),
    mail('thousands of people', [`Cc: ${many(5000, (n) => `"P ${n}" <p${n}@x.test>`).join(',\r\n ')}`], 'x'),
    mail('thousands of references', [`References: ${many(20_000, (n) => `<${n}@x.test>`).join('\r\n ')}`], 'x'),
    mail('one reference', [`References: ${fill('<', 100_000)}`, `In-Reply-To: <${fill('a', 100_000)}`], 'x'),
    mail(
      'thousands of headers',
      many(20_000, (n) => `X-${n}: y`),
      'x',
    ),

    text('base64 that is cut off', 'text/plain; charset=utf-8', 'base64', base64('äöü'.repeat(1000)).slice(0, -7)),
    text('base64 padded in each line', 'text/plain', 'base64', 'YQ==\r\n'.repeat(1000)),
    text('base64 of padding', 'text/plain', 'base64', fill('=')),
    text('base64 of something else', 'text/plain', 'base64', fill('!a=')),
    text('quoted-printable that is cut off', 'text/plain; charset=utf-8', 'quoted-printable', `${'=C3=A4'.repeat(1000)}=C`),
    ...['=', '=\r\n', '=3D', '=ZZ', ' ', '= '].map((piece) =>
      text(`quoted-printable of ${JSON.stringify(piece)}`, 'text/plain', 'quoted-printable', fill(piece)),
    ),
    text('an encoding that nobody knows', 'text/plain', fill('x-', 1000), 'still text'),
    ...[
      'no-such-charset',
      'utf-7',
      'utf-16',
      'iso-2022-jp',
      'iso-2022-kr',
      'big5',
      'gb18030',
      'shift_jis',
      'euc-kr',
      'x-user-defined',
      '""',
      fill('x', 10_000),
    ].map((charset) =>
      text(
        `charset ${charset.slice(0, 20)}`,
        `text/plain; charset=${charset}`,
        '8bit',
        fill('\x1b$B\x80\xff\xc3\xa4a\n', 100_000),
      ),
    ),
    text('flowed', 'text/plain; format=flowed', '7bit', fill('> a \n \n-- \n')),
    ...worstHtml(900_000).map(([name, html]) => text(`html of ${name}`, 'text/html; charset=utf-8', 'base64', base64(html))),

    multipart(
      'ten thousand parts',
      many(10_000, (n) => `Content-Type: ${n % 2 ? 'text/plain' : 'image/png'}\r\n\r\n${n}`),
    ),
    multipart(
      'hundreds of texts',
      many(500, () => `Content-Type: text/html\r\n\r\n<p>${'x'.repeat(5000)}`),
    ),
    multipart(
      'parts that never end',
      many(3, (n) => `Content-Type: text/plain\r\n\r\n${n}`),
      '',
    ),
    multipart('a boundary within a boundary', [
      'Content-Type: multipart/mixed; boundary=bb\r\n\r\n--bb\r\n\r\ninner\r\n--b--\r\n--bb--',
    ]),
    mail('a multipart without a boundary', ['MIME-Version: 1.0', 'Content-Type: multipart/mixed'], '--b\r\n\r\nx'),
    mail('deep parts', ['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary=b`], `--b\r\n${nested(300)}\r\n--b--\r\n`),
    multipart('deep messages', [`Content-Type: message/rfc822\r\n\r\n${forwarded(300)}`]),

    attached('a long name', 'application/pdf', `attachment; filename="${fill('a', 100_000)}"`),
    attached('a name of encoded words', 'application/pdf', `attachment; filename="${fill('=?utf-8?Q?a?= ', 100_000)}"`),
    attached('a name in pieces', 'application/pdf', `attachment; ${many(5000, (n) => `filename*${n}*=%41`).join('; ')}`),
    attached('a name of control characters', 'application/pdf', `attachment; filename="a\x01\x7f/../\\b.pdf"`),
    attached('a strange type', `${fill('a', 10_000)}/${fill('b', 10_000)}`, 'attachment'),

    winmail('winmail.dat of nothing', Buffer.alloc(0)),
    winmail('winmail.dat that is cut off', tnefOf({ files: [{ name: 'a.txt', content: Buffer.alloc(5000) }] }).subarray(0, 3000)),
    winmail(
      'winmail.dat of many files',
      tnefOf({ files: Array(200).fill({ name: 'x'.repeat(5000), content: Buffer.from('x') }) }),
    ),
    winmail('winmail.dat of deep HTML', tnefOf({ html: fill('<div>', 2 * MB) })),
    winmail('winmail.dat of long text', tnefOf({ text: fill(' \n', 2 * MB) })),
    ...['{', '}', '\\par', "\\'e4", '\\u8364?', '\\ansicpg932 ', '\\*', '{\\fonttbl ', '\\'].map((piece) =>
      winmail(`RTF of ${piece}`, rtf(fill(piece))),
    ),
    ...Object.values(charsetMails()).flatMap((mails) => mails.map(({ name, content }): Mail => [name, content])),
  ]
}
