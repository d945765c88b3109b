import { z } from 'zod'
import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'
import { moment } from '#kernel/values/fields.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const permissions = { manage: 'Manage service accounts and their API keys' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'service-accounts', typeof permissions> {}
}

/** In seconds. */
const DAY = 86_400

export default defineModule({
  key: 'service-accounts',
  title: 'Service accounts',
  description: 'Accounts of programs: with roles and API keys, without password and mailbox.',
  core: true,
  requires: ['roles', 'users'],
  permissions,
  everyday: [],
  settings: {
    platform_access: {
      schema: z.boolean('Must be true or false.'),
      default: true,
      title: 'Whether accounts of the platform may work in the workspace',
      ownerOnly: true,
      grants: true,
    },
    platform_grants_until: {
      schema: moment('2026-12-01T16:00:00Z').nullable(),
      default: null,
      title: 'Until when the platform may change who may come in and where money goes',
      hint: 'A day ahead at most. Empty, or in the past: it may not. You get a mail of each change.',
      ownerOnly: true,
      grants: true,
      refuse: (until: string | null, now) =>
        until !== null && until > plusSeconds(now, DAY) ? 'Must be at most 24 hours ahead.' : undefined,
    },
  },
  errorCodes: {
    PLATFORM_ACCESS_REFUSED:
      '403: the workspace refuses the platform, or this account of it, or what it would do: change who may come in or where money goes.',
  },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
})
