import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('leads'),
  assign: 'See everybody’s leads and assign them',
  convert: 'Convert leads',
  export: 'Export leads',
  manage_integrations: 'Manage the webhooks and the social ads by which leads arrive',
  import: 'Import leads',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'leads', typeof permissions> {}
  interface Subjects {
    lead: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** Emitted when the actor has assigned leads to a user. Leads assigned together share a `batch_id` in their histories. */
    'lead.assigned': {
      user_id: number
      lead_ids: number[]
      source: 'assign' | 'bulk_assign' | 'import' | 'webhook'
      batch_id: string | null
    }
    /** Emitted once per user when an import has ended: leads created today that rows matched, to be reviewed. */
    'lead.duplicate_detected': { user_id: number; lead_ids: number[]; source: 'import'; batch_id: string }
    /** Emitted to the importer when an import has ended. `lead_id` is set where it created just one lead. */
    'lead.imported': {
      user_id: number
      lead_id: number | null
      import_uuid: string
      status: 'completed' | 'failed'
      file_name: string
      counts: Record<'imported' | 'updated' | 'skipped' | 'duplicate' | 'failed', number>
    }
  }
}

export default defineModule({
  key: 'leads',
  title: 'Leads',
  description: 'Who might become a customer, and what is done about it.',
  position: 10,
  version: '1.3.1',
  category: 'Customers and sales',
  path: '',
  uses: ['users', 'contacts', 'companies', 'employees', 'opportunities', 'storage'],
  permissions,
  errorCodes: {
    IMPORT_UNDER_WAY: '409: another file of the same user is still being read.',
    SOCIAL_ADS_UNAVAILABLE: '502: the ad platform doesn’t answer as it should.',
  },
  subjects: { lead: async () => (await import('./leads.ts')).leads },
  notifications: { category: 'crm', mentions: ['lead'], kinds: () => import('./notifications.ts') },
  placeholders: () => import('./placeholders.ts'),
  listeners: () => import('./listeners.ts'),
  installation: () => import('./installation.ts'),
  sealed: [() => import('./webhooks/endpoints.ts'), () => import('./social-ads/connection.ts')],
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo/leads.ts'),
})
