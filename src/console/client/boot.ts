/** Data that the server embeds in the page. */
export interface Me {
  user: {
    id: number
    name: string
    email: string
    avatar_url: string | null
    role: string[]
    is_owner?: boolean
    email_verified_at?: string | null
  }
  workspace?: { id: number; slug: string; name: string; timezone: string; currency: string; locale: string }
  permissions: string[]
  modules?: string[]
}

export interface Realm {
  api: '/api/tenant/v1' | '/api/central/v1'
  path: string
}

export interface Boot {
  name: string
  look: { language: 'en' | 'de'; theme: 'system' | 'light' | 'dark' }
  /** Address of the script with German texts, for users who read German. */
  german?: string
  platform?: {
    registration_enabled: boolean
    is_mail_delivered: boolean
    support_email: string | null
    timezone?: string
    currency?: string
    logo_url?: string | null
    auth_image_login_url?: string | null
    auth_image_register_url?: string | null
    auth_image_forgot_password_url?: string | null
    auth_image_reset_password_url?: string | null
    auth_image_email_verify_url?: string | null
  }
  /** Values of design tokens. */
  accent?: Record<string, string>
  recent: string[]
  /** Workspace of the page's host, if it has its own. */
  own?: Realm
  /** Undefined before sign-in. */
  realm?: Realm
  /** Enables the page of components. */
  development?: true
  me?: Me
  console?: unknown
  /** Screen that the address refers to. */
  screen?: unknown
  /** Data of the first screen, if the address refers to it. */
  home?: unknown
  /** Replies to the page's first API requests. */
  first?: { asked: string; data: any; meta?: any; etag?: string }[]
  /** Reason why the realm is closed. */
  refused?: { message: string; code: string }
}

/** An operator's account lacks the envelope of a member's. */
const told = JSON.parse(document.getElementById('boot')!.textContent!) as Boot & { me?: Me & Me['user'] }
export const boot: Boot = told.me && !told.me.user ? { ...told, me: { user: told.me, permissions: told.me.permissions } } : told
