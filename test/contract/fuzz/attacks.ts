/** Attacks: each mutates one random part of a valid request. */
import type { Request } from '../requests.ts'
import { anyQuery, path, query } from './addresses.ts'
import { field, structure } from './bodies.ts'
import { header, token } from './headers.ts'
import { type Attack, type Kind, plain } from './plain.ts'
import type { Random } from './random.ts'
import { type } from './types.ts'

/** Returns a mutated request of a kind that applies to the operation; mutations of the body are the most frequent. */
export function attackOn(request: Request, random: Random): Attack {
  const { operation, body } = request
  const kinds: Kind[] = [path, header, type, method, token, anyQuery]
  if (body) kinds.push(...Array<Kind>(8).fill(field), ...Array<Kind>(4).fill(structure))
  if (operation.parameters.some((one) => one.in === 'query')) kinds.push(...Array<Kind>(8).fill(query))
  for (;;) {
    const attack = random.one(kinds)(request, random)
    if (attack) return attack
  }
}

/** Another method. */
const method: Kind = (request, random) => {
  const attack = plain(request)
  const other = random.one(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])
  if (other === attack.method) return undefined
  const { payload, ...bare } = attack
  return { ...(other === 'GET' ? bare : attack), method: other, what: `by ${other}` }
}
