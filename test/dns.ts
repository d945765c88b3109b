/** Name server with a zone set by tests. */
import dns2 from 'dns2'

const { TYPE, CLASS, RCODE } = dns2.Packet
const types = { [TYPE.A]: 'A', [TYPE.AAAA]: 'AAAA', [TYPE.CNAME]: 'CNAME', [TYPE.TXT]: 'TXT' } as Record<number, string>

export async function startDns() {
  const at = {
    /** Answers by `TYPE name`. */
    zone: new Map<string, string[]>(),
    /** Fails every query. */
    broken: false,
  }
  const server = dns2.createServer({
    udp: true,
    handle(request: any, send: (response: any) => void) {
      const response = dns2.Packet.createResponseFromRequest(request) as any
      const [{ name, type }] = request.questions
      const values = at.zone.get(`${types[type]} ${name.toLowerCase()}`) ?? []
      if (at.broken) response.header.rcode = RCODE.SERVFAIL
      else if (![...at.zone.keys()].some((key) => key.endsWith(` ${name.toLowerCase()}`))) response.header.rcode = RCODE.NXDOMAIN
      for (const value of values)
        response.answers.push({ name, type, class: CLASS.IN, ttl: 1, address: value, domain: value, data: value })
      send(response)
    },
  })
  const { udp } = (await server.listen({ udp: { port: 0, address: '127.0.0.1' } })) as unknown as { udp: { port: number } }
  return Object.assign(at, { address: `127.0.0.1:${udp.port}`, stop: () => server.close() })
}
