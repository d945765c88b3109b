/** Users with invalid sessions, and the expected errors. */
import type { Workspace, World } from '../harness.ts'
import { operator } from '../operator.ts'
import type { Operation } from './operations.ts'
import type { Somebody } from './requests.ts'

export interface Stranger extends Somebody {
  who: string
  /** Returns whether this user is tried on the operation. */
  meets(operation: Operation): boolean
  hears(operation: Operation): { status: number; code: string }
}

export async function strangers(world: World, firm: Workspace): Promise<Stranger[]> {
  const { modules } = world.services
  const all = (api: Operation['api']) => modules.permissions(api).map(({ name }) => name)
  const unknown = { status: 401, code: 'UNAUTHENTICATED' }
  const on = (api: Operation['api']) => (operation: Operation) => operation.api === api
  const made: Stranger[] = []
  const add = (who: string, { id, email, token }: Somebody, meets: Stranger['meets'], code: string, status = 403) =>
    made.push({ who, id, email, token, meets, hears: () => (code ? { status, code } : unknown) })

  add('nobody', { id: 0, email: '', token: '' }, () => true, '')
  add('whoever guesses', { id: 0, email: '', token: `1|${'x'.repeat(43)}` }, () => true, '')
  add('the platform’s first admin, in a workspace', world.admin, on('workspace'), '')
  add('the owner of a workspace, on the platform', firm.owner, on('platform'), '')

  for (const api of ['workspace', 'platform'] as const) {
    const table = api === 'workspace' ? 'users' : 'platform_users'
    const person = async () => (api === 'workspace' ? firm.user(all(api)) : operator(world, all(api)))
    const [suspended, expired, revoked] = [await person(), await person(), await person()]
    await world.sql(`UPDATE ${table} SET suspended_at = now() WHERE id = $1`, [suspended.id])
    add(`a suspended user (${api})`, suspended, on(api), 'USER_SUSPENDED')
    const tokenId = ({ token }: Somebody) => token.split('|')[0]
    await world.sql(`UPDATE access_tokens SET expires_at = now() - interval '1 second' WHERE id = $1`, [tokenId(expired)])
    add(`an expired session (${api})`, expired, on(api), '')
    await world.sql('DELETE FROM access_tokens WHERE id = $1', [tokenId(revoked)])
    add(`a revoked session (${api})`, revoked, on(api), '')
  }

  for (const { who, change, code } of [
    { who: 'a suspended workspace', change: `status = 'suspended'`, code: 'WORKSPACE_SUSPENDED' },
    { who: 'an archived workspace', change: 'archived_at = now()', code: 'WORKSPACE_ARCHIVED' },
    { who: 'a deleted workspace', change: 'deleted_at = now()', code: '' },
  ] as const) {
    const { id, owner } = await world.workspace({ name: who })
    await world.sql(`UPDATE tenants SET ${change} WHERE id = $1`, [id])
    add(`the owner of ${who}`, owner, on('workspace'), code)
  }
  return made
}
