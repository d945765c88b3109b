import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  companies: {
    icon: 'building',
    columns: ['name', 'industry', 'email', 'phone', 'assigned_to'],
    groups: [
      { title: 'Company', fields: ['name', 'email', 'phone', 'website', 'industry'] },
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
