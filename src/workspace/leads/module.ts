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
    /** Somebody was given leads by a deed of somebody; of those given together, `batch_id` is the same in each one's history. */
    'lead.assigned': {
      user_id: number
      lead_ids: number[]
      source: 'assign' | 'bulk_assign' | 'import' | 'webhook'
      batch_id: string | null
    }
    /** Leads that somebody should look at, because rows matched them on the day on which they were made; told once, when the import has ended. */
    'lead.duplicate_detected': { user_id: number; lead_ids: number[]; source: 'import'; batch_id: string }
    /** An import has ended: its digest, for whoever ran it. `lead_id` where it brought just one lead. */
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
