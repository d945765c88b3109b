/** What the server wrote into the page. */
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
  /** The address of the script of the German texts, for those who read them. */
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
  /** The workspace whose own host the page is at. */
  own?: Realm
  /** None: before signing in. */
  realm?: Realm
  /** The parts of the console can be looked at. */
  development?: true
  me?: Me
  console?: unknown
  /** The screen that the address names. */
  screen?: unknown
  /** What the first screen is made of, where the address names it. */
  home?: unknown
  /** What the page would ask the API first, and the answers. */
  first?: { asked: string; data: any; meta?: any; etag?: string }[]
  /** Why the realm is closed. */
  refused?: { message: string; code: string }
}

/** The operator’s own account is told without what surrounds a member’s. */
const told = JSON.parse(document.getElementById('boot')!.textContent!) as Boot & { me?: Me & Me['user'] }
export const boot: Boot = told.me && !told.me.user ? { ...told, me: { user: told.me, permissions: told.me.permissions } } : told
