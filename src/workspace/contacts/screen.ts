import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  contacts: {
    icon: 'people',
    columns: ['name', 'email', 'phone', 'company_id', 'job_title', 'assigned_to', 'updated_at'],
    groups: [
      { title: 'Person', fields: ['name', 'email', 'phone', 'job_title', 'company', 'company_id'] },
      { title: 'Address', fields: ['street', 'postcode', 'city', 'country', 'address'] },
      {
        title: 'Invoicing',
        folded: true,
        fields: ['tax_id', 'vat_id', 'einvoice_address', 'buyer_reference', 'exclude_from_reminders'],
      },
      { title: 'Languages', folded: true, fields: ['language', 'languages'] },
    ],
  },
})
