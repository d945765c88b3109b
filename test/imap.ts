/**
 * Minimal in-memory IMAP server: IMAP4rev1 without MOVE, UIDPLUS, CONDSTORE and LIST-STATUS. Supports clients that read, flag,
 * copy, expunge and append; any user signs in with one password. The same tests run against Dovecot.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { bodyStructureOf, envelopeOf, headersOf, partOf, quoted } from './imap-fetch.ts'
import { PASSWORD } from './mailboxes.ts'

/** The server rejects a message that contains this. */
export const UNWANTED = 'more-than-the-server-takes'

interface Stored {
  uid: number
  flags: Set<string>
  date: Date
  content: Buffer
}
interface Folder {
  validity: number
  next: number
  messages: Stored[]
}
type Account = Map<string, Folder>

const SPECIAL: Record<string, string> = { Sent: '\\Sent', Drafts: '\\Drafts', Trash: '\\Trash', Archive: '\\Archive' }

export async function startImap() {
  const accounts = new Map<string, Account>()
  let validity = 1_700_000_000
  const newFolder = (): Folder => ({ validity: ++validity, next: 1, messages: [] })
  const accountOf = (user: string) => {
    let account = accounts.get(user)
    if (!account) accounts.set(user, (account = new Map(['INBOX', ...Object.keys(SPECIAL)].map((name) => [name, newFolder()]))))
    return account
  }
  /** Paths of folders that are listed but can't be opened. */
  const closed = new Set<string>()
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    serve(socket, accountOf, newFolder, closed).catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    closed,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Yields lines with their literals: text, and the bytes announced by `{n}`. */
async function* commandsOf(socket: Socket): AsyncGenerator<{ line: string; literals: Buffer[] }> {
  let rest: Buffer = Buffer.alloc(0)
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const more = async () => {
    const { done, value } = await chunks.next()
    if (done) return false
    rest = Buffer.concat([rest, value])
    return true
  }
  for (;;) {
    let line = ''
    const literals: Buffer[] = []
    for (;;) {
      let end = rest.indexOf('\r\n')
      while (end < 0) {
        if (!(await more())) return
        end = rest.indexOf('\r\n')
      }
      const text = rest.subarray(0, end).toString()
      rest = rest.subarray(end + 2)
      const [, size] = /\{(\d+)\+?\}$/.exec(text) ?? []
      if (size === undefined) {
        line += text
        break
      }
      if (!text.endsWith('+}')) socket.write('+ go on\r\n')
      const parts: Buffer[] = [rest]
      let length = rest.length
      while (length < Number(size)) {
        const { done, value } = await chunks.next()
        if (done) return
        parts.push(value)
        length += value.length
      }
      rest = Buffer.concat(parts)
      literals.push(rest.subarray(0, Number(size)))
      rest = rest.subarray(Number(size))
      line += text.replace(/\{\d+\+?\}$/, `\u0000${literals.length - 1}\u0000`)
    }
    yield { line, literals }
  }
}

/** Parses words, quoted texts, literals and lists, as far as commands contain them. */
function wordsOf(line: string, literals: Buffer[]): string[] {
  const found = line.match(/"(?:[^"\\]|\\.)*"|\u0000\d+\u0000|\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s]+/g) ?? []
  return found.map((word) => {
    if (word.startsWith('"')) return word.slice(1, -1).replace(/\\(.)/g, '$1')
    if (word.startsWith('\0')) return literals[Number(word.slice(1, -1))]!.toString()
    return word
  })
}

async function serve(socket: Socket, accountOf: (user: string) => Account, newFolder: () => Folder, closed: Set<string>) {
  let account: Account | undefined
  let selected: Folder | undefined
  const say = (text: string | Buffer) => socket.write(typeof text === 'string' ? `${text}\r\n` : text)
  say('* OK ready')

  for await (const { line, literals } of commandsOf(socket)) {
    const [tag = '*', name = '', ...rest] = wordsOf(line, literals)
    const byUid = name.toUpperCase() === 'UID'
    const command = (byUid ? (rest.shift() ?? '') : name).toUpperCase()
    const ok = (text = 'done') => say(`${tag} OK ${text}`)
    const no = (text: string) => say(`${tag} NO ${text}`)
    const signIn = (user: string, password: string) => {
      if (password !== PASSWORD) return no('[AUTHENTICATIONFAILED] Not this password')
      account = accountOf(user)
      return ok()
    }
    const open = (path = '') => account?.get(path)
    /** Returns the messages of a sequence set, with their numbers. */
    const chosen = (set: string) => {
      const all = selected?.messages ?? []
      const last = byUid ? (all.at(-1)?.uid ?? 0) : all.length
      const ranges = set.split(',').map((range) => range.split(':').map((end) => (end === '*' ? last : Number(end))))
      return all
        .map((message, n) => ({ message, seq: n + 1 }))
        .filter(({ message, seq }) => ranges.some(([a = 0, b = a]) => within(byUid ? message.uid : seq, a, b)))
    }

    if (command === 'CAPABILITY') {
      say('* CAPABILITY IMAP4rev1 LITERAL+ UNSELECT SPECIAL-USE')
      ok()
    } else if (command === 'LOGIN') signIn(rest[0] ?? '', rest[1] ?? '')
    else if (command === 'LOGOUT') {
      say('* BYE')
      ok()
      socket.end()
    } else if (command === 'LIST' || command === 'LSUB') {
      for (const path of account?.keys() ?? [])
        if (rest.at(-1) !== '' && (rest[1] === undefined || /[*%]/.test(rest.join(' ')) || rest.includes(path)))
          say(`* ${command} (\\HasNoChildren${SPECIAL[path] ? ` ${SPECIAL[path]}` : ''}) "." ${quoted(path)}`)
      if (rest.at(-1) === '') say('* LIST (\\Noselect) "." ""')
      ok()
    } else if (command === 'STATUS') {
      const folder = open(rest[0])
      if (!folder) no('There is none')
      else {
        const unseen = folder.messages.filter(({ flags }) => !flags.has('\\Seen')).length
        say(
          `* STATUS ${quoted(rest[0]!)} (MESSAGES ${folder.messages.length} UIDNEXT ${folder.next} UIDVALIDITY ${folder.validity} UNSEEN ${unseen})`,
        )
        ok()
      }
    } else if (command === 'CREATE') {
      if (open(rest[0])) no('There is one')
      else {
        account?.set(rest[0]!, newFolder())
        ok()
      }
    } else if (command === 'DELETE') {
      if (account?.delete(rest[0] ?? '')) ok()
      else no('There is none')
    } else if (command === 'SELECT' || command === 'EXAMINE') {
      selected = closed.has(rest[0] ?? '') ? undefined : open(rest[0])
      if (closed.has(rest[0] ?? '')) no(`[NOPERM] Not to whoever says ${PASSWORD}`)
      else if (!selected) no('[NONEXISTENT] There is none')
      else {
        say(`* ${selected.messages.length} EXISTS`)
        say(`* OK [UIDVALIDITY ${selected.validity}]`)
        say(`* OK [UIDNEXT ${selected.next}]`)
        say('* FLAGS (\\Seen \\Flagged \\Deleted \\Answered \\Draft)')
        say('* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Deleted \\Answered \\Draft \\*)]')
        ok('[READ-WRITE] open')
      }
    } else if (command === 'APPEND') {
      const folder = open(rest[0])
      const flags =
        rest
          .find((word) => word.startsWith('('))
          ?.slice(1, -1)
          .split(' ')
          .filter(Boolean) ?? []
      if (!folder) no('[TRYCREATE] There is none')
      else if (literals.at(-1)!.includes(UNWANTED)) no('[OVERQUOTA] Too much')
      else {
        folder.messages.push({ uid: folder.next++, flags: new Set(flags), date: new Date(), content: literals.at(-1)! })
        ok()
      }
    } else if (command === 'SEARCH') {
      const keys = rest[0]?.toUpperCase() === 'CHARSET' ? rest.slice(2) : rest
      const [, first = 1, last = Number.POSITIVE_INFINITY] = /^(\d+):(\d+)$/.exec(keys[0] ?? '')?.map(Number) ?? []
      const [by = '', set = '', value = ''] = last === Number.POSITIVE_INFINITY ? keys : keys.slice(1)
      const all = (selected?.messages ?? [])
        .map((message, n) => ({ message, seq: n + 1 }))
        .filter(({ seq }) => seq >= first && seq <= last)
      const found =
        by.toUpperCase() === 'UID'
          ? (({ from, to }) => all.filter(({ message }) => within(message.uid, from, to)))(rangeIn(set, selected))
          : by.toUpperCase() === 'HEADER'
            ? all.filter(({ message }) => headersOf(message.content, [set]).includes(value))
            : all
      say(`* SEARCH ${found.map(({ message, seq }) => (byUid ? message.uid : seq)).join(' ')}`)
      ok()
    } else if (command === 'FETCH') {
      const items = rest.slice(1).join(' ')
      for (const { message, seq } of chosen(rest[0] ?? '')) {
        say(Buffer.concat([Buffer.from(`* ${seq} FETCH (`), fetched(message, items), Buffer.from(')\r\n')]))
        await new Promise((resolve) => (socket.writableNeedDrain ? socket.once('drain', resolve) : resolve(undefined)))
      }
      ok()
    } else if (command === 'STORE') {
      const flags = rest.slice(2).join(' ').replace(/[()]/g, '').split(' ').filter(Boolean)
      for (const { message, seq } of chosen(rest[0] ?? '')) {
        for (const flag of flags)
          if (rest[1]!.startsWith('-')) message.flags.delete(flag)
          else message.flags.add(flag)
        say(`* ${seq} FETCH (UID ${message.uid} FLAGS (${[...message.flags].join(' ')}))`)
      }
      ok()
    } else if (command === 'COPY') {
      const target = open(rest[1])
      if (!target) no('[TRYCREATE] There is none')
      else {
        for (const { message } of chosen(rest[0] ?? ''))
          target.messages.push({ ...message, flags: new Set(message.flags), uid: target.next++ })
        ok()
      }
    } else if (command === 'EXPUNGE') {
      for (let n = (selected?.messages.length ?? 0) - 1; n >= 0; n--)
        if (selected!.messages[n]!.flags.has('\\Deleted')) {
          selected!.messages.splice(n, 1)
          say(`* ${n + 1} EXPUNGE`)
        }
      ok()
    } else if (['NOOP', 'CLOSE', 'UNSELECT', 'SUBSCRIBE', 'UNSUBSCRIBE', 'CHECK'].includes(command)) ok()
    else say(`${tag} BAD What is ${command}?`)
  }
}

const within = (n: number, a: number, b: number) => n >= Math.min(a, b) && n <= Math.max(a, b)

function rangeIn(set: string, folder: Folder | undefined) {
  const last = folder?.messages.at(-1)?.uid ?? 0
  const [from = 0, to = from] = set.split(':').map((end) => (end === '*' ? last : Number(end)))
  return { from, to }
}

/** Messages that contain this get a reply that no client can parse. */
export const UNREADABLE = 'X-Unreadable: yes'

/** Returns the requested items of a FETCH. */
function fetched({ uid, flags, date, content }: Stored, items: string): Buffer {
  const parts: Buffer[] = []
  const add = (text: string, literal?: Buffer) => {
    parts.push(
      Buffer.from(`${parts.length ? ' ' : ''}${text}${literal ? ` {${literal.length}}\r\n` : ''}`, 'latin1'),
      ...(literal ? [literal] : []),
    )
  }
  const asks = (item: RegExp) => item.test(items)
  add(`UID ${uid}`)
  if (asks(/\bFLAGS\b/)) add(`FLAGS (${[...flags].join(' ')})`)
  if (asks(/\bINTERNALDATE\b/)) add(`INTERNALDATE "${internalDate(date)}"`)
  if (asks(/\bRFC822\.SIZE\b/)) add(`RFC822.SIZE ${content.length}`)
  if (asks(/\bENVELOPE\b/)) add(`ENVELOPE ${envelopeOf(content)}`)
  if (asks(/\bBODYSTRUCTURE\b/) && content.includes(UNREADABLE)) add('BODYSTRUCTURE (("text"')
  else if (asks(/\bBODYSTRUCTURE\b/)) add(`BODYSTRUCTURE ${bodyStructureOf(content)}`)
  for (const [, name = '', start, length] of items.matchAll(/BODY(?:\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/g)) {
    const fields = /^HEADER\.FIELDS \(([^)]*)\)$/i.exec(name)?.[1]
    const whole = fields === undefined ? partOf(content, name) : Buffer.from(`${headersOf(content, fields.split(' '))}\r\n`)
    if (!whole) add(`BODY[${name}] NIL`)
    else if (start === undefined) add(`BODY[${name}]`, whole)
    else add(`BODY[${name}]<${start}>`, whole.subarray(Number(start), Number(start) + Number(length)))
  }
  return Buffer.concat(parts)
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const internalDate = (date: Date) =>
  `${String(date.getUTCDate()).padStart(2, '0')}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000`
