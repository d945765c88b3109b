/**
 * Realms: the users of workspaces, and those of the platform. Both have the same kind of account; a realm defines the
 * differences.
 */
import type { z } from 'zod'
import type { BaseCtx, PublicCtx } from '../context.ts'
import type { platform } from '../http/route.ts'
import type { Account } from './accounts.ts'
import type { IssuedToken, PasswordPurpose } from './tokens.ts'

/** An account that has the address. */
export interface Candidate extends Account {
  password_hash: string | null
  /** Its workspace, to choose from; none on the platform. */
  workspace?: { slug: string; name: string }
}

/** Criteria for looking up accounts by address. */
export interface Lookup {
  email: string
  /** Workspace given by slug or host; undefined: all workspaces. */
  workspace?: string
  /** Only accounts that have verified the address. */
  proven: boolean
}

/** Functions and names in which the accounts of a realm differ. */
export interface Realm {
  api: 'workspace' | 'platform'
  /**
   * Makers of routes for signed-in users. Typed as the platform's: the account routes use only properties that both contexts
   * have.
   */
  signedIn: typeof platform
  /** Route names that differ between the APIs. */
  paths: { logout: string; saveMe: 'post' | 'put' }
  /** Whether an account belongs to this realm. */
  has(account: Account): boolean
  /** Returns the workspace of a request, from its body or its host. */
  workspaceOf(ctx: BaseCtx, sent: { workspace?: string }): Promise<string | undefined>
  /** Returns the workspace's own host by which a request came, and the workspace: passkeys are bound to a host. */
  ownHost?(ctx: PublicCtx): Promise<{ host: string; tenant_id: number } | undefined>
  /** Returns the accounts that have an address, at most `mostCandidates`. */
  candidates(ctx: BaseCtx, lookup: Lookup): Promise<Candidate[]>
  mostCandidates: number
  /** Schema of GET /me. */
  me: z.ZodObject
  profile(ctx: BaseCtx, account: Account): Promise<any>
  /** Fields of the sign-in reply, in addition to the token. */
  welcome: z.ZodObject
  greet(profile: any): object
  /** Throws 403 if the account's workspace is closed. */
  refuse?(ctx: BaseCtx, account: Account): Promise<void>
  /** Hooks called after sign-in and after sign-out. */
  signedInto?(ctx: PublicCtx, account: Account, token: IssuedToken & { name: string }): Promise<void>
  signedOut?(ctx: BaseCtx, tokenId: number): Promise<void>
  /** Purposes of links that set a first password. */
  invitations: readonly PasswordPurpose[]
  /** Whether accepting an invitation opens a session. */
  invitationSignsIn: boolean
}

/** Access rules of the account routes: also before the address is verified, and not with an API key. */
export const selfRoute = { allow: 'signed-in', unverified: true, noKeys: true } as const
/** Access rules of routes that change the account: also rejected during impersonation. */
export const inPersonRoute = { ...selfRoute, inPerson: true } as const
