import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  tenants: {
    icon: 'building',
    columns: ['workspace_name', 'status', 'slug', 'email', 'country', 'archived_at', 'created_at'],
    groups: [
      { title: 'Company', fields: ['company_name', 'workspace_name', 'slug', 'domain', 'email', 'phone', 'status', 'notes'] },
      { title: 'Region', fields: ['country', 'locale', 'timezone', 'currency'] },
    ],
    drawn: { record: 'workspace' },
  },
})
