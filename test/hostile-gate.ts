/** Proxy to a mail server that misbehaves on purpose at one command. Before that, and without a trap, it forwards everything. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Misbehaviour instead of a reply. `lines`: endless replies of the kind that the command expects. */
export const BEHAVIOURS = ['reset', 'close', 'lines', 'line', 'literal', 'drip', 'garbage', 'silence'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

export interface Trap {
  /** Client command that triggers it; `greeting`: before any. */
  at: RegExp | 'greeting'
  does: Behaviour
  /** Returns one of the endless replies by number. */
  answer?(n: number): string
  /** Change of the server's announced capabilities that makes the client send the command. */
  says?: { instead: string; this: string }
}

/** Milliseconds between two bytes of `drip`. */
const DRIP = 50

export async function startGate(port: number) {
  const sockets = new Set<Socket>()
  const gate = {
    port: 0,
    trap: undefined as Trap | undefined,
    /** Number of triggered traps. */
    sprung: 0,
    /** Returns the number of open connections; also their maximum. */
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
