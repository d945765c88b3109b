/** A realm: the people of the workspaces, or those of the platform. Both have the same account; here is what differs. */
import type { z } from 'zod'
import type { BaseCtx, PublicCtx } from '../context.ts'
import type { platform } from '../http/route.ts'
import type { Account } from './accounts.ts'
import type { IssuedToken, PasswordPurpose } from './tokens.ts'

/** An account that an address may mean. */
export interface Candidate extends Account {
  password_hash: string | null
  /** Where it is, for whoever has to choose; none on the platform. */
  workspace?: { slug: string; name: string }
}

/** Where an address is looked up. */
export interface Lookup {
  email: string
  /** The workspace that was named, by its slug or by the host; undefined: every one. */
  workspace?: string
  /** Only accounts that have proven the address. */
  proven: boolean
}

export interface Realm {
  api: 'workspace' | 'platform'
  /** Makers of routes for those who are signed in. Typed as the platform's: the account's routes use what both contexts have. */
  signedIn: typeof platform
  /** What the contract calls differently. */
  paths: { logout: string; saveMe: 'post' | 'put' }
  /** Whether an account belongs here. */
  has(account: Account): boolean
  /** The workspace that a request names, by what was sent or by its host. */
  workspaceOf(ctx: BaseCtx, sent: { workspace?: string }): Promise<string | undefined>
  /** The host of its own by which a request reached a workspace, and whose it is: passkeys are made for a host. */
  ownHost?(ctx: PublicCtx): Promise<{ host: string; tenant_id: number } | undefined>
  /** The accounts that an address may mean, at most `mostCandidates`. */
  candidates(ctx: BaseCtx, lookup: Lookup): Promise<Candidate[]>
  mostCandidates: number
  /** What GET /me shows. */
  me: z.ZodObject
  profile(ctx: BaseCtx, account: Account): Promise<any>
  /** What signing in shows beside the token. */
  welcome: z.ZodObject
  greet(profile: any): object
  /** 403 when nobody of the account's workspace may come in. */
  refuse?(ctx: BaseCtx, account: Account): Promise<void>
  /** After somebody signed in, and after they signed out. */
  signedInto?(ctx: PublicCtx, account: Account, token: IssuedToken & { name: string }): Promise<void>
  signedOut?(ctx: BaseCtx, tokenId: number): Promise<void>
  /** The links that set a first password. */
  invitations: readonly PasswordPurpose[]
  /** Whether accepting one signs in. */
  invitationSignsIn: boolean
}

/** Who may use a route of one's own account: before the address is verified too, and not by an API key. */
export const selfRoute = { allow: 'signed-in', unverified: true, noKeys: true } as const
/** Of a route that changes one's own account: refused to whoever works as somebody else as well. */
export const inPersonRoute = { ...selfRoute, inPerson: true } as const
