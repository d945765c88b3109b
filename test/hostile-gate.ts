/** A way to a mail server that goes wrong, on purpose, when one command comes by. Up to then, and while nothing is to go wrong, it lets everything pass. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What the server does instead of answering. `lines`: answers of the kind that the command asks for, without end. */
export const BEHAVIOURS = ['reset', 'close', 'lines', 'line', 'literal', 'drip', 'garbage', 'silence'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

export interface Trap {
  /** Of what the client says; `greeting`: nothing yet. */
  at: RegExp | 'greeting'
  does: Behaviour
  /** One endless answer, by its number. */
  answer?(n: number): string
  /** What the server is to say of itself, so that the command comes. */
  says?: { instead: string; this: string }
}

/** Between two bytes of `drip`, in milliseconds. */
const DRIP = 50

export async function startGate(port: number) {
  const sockets = new Set<Socket>()
  const gate = {
    port: 0,
    trap: undefined as Trap | undefined,
    /** How many connections went wrong. */
    sprung: 0,
    /** Connections that are open, and the most that were so at once. */
    open: () => sockets.size,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    if (gate.trap?.at === 'greeting') return spring(gate.trap, socket)
    const onward = connect(port, '127.0.0.1')
    onward.on('error', () => {}).on('close', () => socket.end())
    socket.on('close', () => onward.destroy())
    onward.on('data', (bytes) => {
      const { says } = gate.trap ?? {}
      socket.write(says ? bytes.toString('latin1').replace(says.instead, says.this) : bytes, 'latin1')
    })
    const pass = (bytes: Buffer) => {
      const { trap } = gate
      if (!(trap?.at instanceof RegExp) || !trap.at.test(bytes.toString('latin1'))) return onward.write(bytes)
      socket.off('data', pass).resume()
      onward.removeAllListeners('data').removeAllListeners('close').destroy()
      spring(trap, socket)
    }
    socket.on('data', pass)
  })
  const spring = (trap: Trap, socket: Socket) => {
    gate.sprung++
    misbehave(trap, socket)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  gate.port = (server.address() as AddressInfo).port
  return gate
}

function misbehave({ does, answer = () => '* OK still here\r\n' }: Trap, socket: Socket) {
  if (does === 'reset') return void socket.resetAndDestroy()
  if (does === 'close') return void socket.end()
  if (does === 'silence') return
  if (does === 'drip') {
    const text = '* OK '
    let n = 0
    const timer = setInterval(() => socket.write(text[n++] ?? 'a'), DRIP)
    return void socket.on('close', () => clearInterval(timer))
  }
  if (does === 'literal') socket.write('* 1 FETCH (UID 1 BODY[1] {2000000000}\r\n')
  const letters = 'a'.repeat(1 << 16)
  let n = 0
  const some = () => {
    if (does === 'garbage') return randomBytes(1 << 16)
    return does === 'lines' ? Array.from({ length: 500 }, () => answer(++n)).join('') : letters
  }
  const write = () => {
    while (!socket.destroyed && socket.write(some()));
  }
  socket.on('drain', write)
  write()
}
