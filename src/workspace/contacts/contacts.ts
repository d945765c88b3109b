/** Contacts: users who may not assign see only their own. Several may have the same e-mail address. */
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { Contact, ContactDetail } from './schema.ts'

export const contacts = resource({
  table: 'contacts',
  module: 'contacts',
  noun: 'contact',
  item: Contact,
  detail: ContactDetail,
  assign: 'contacts.assign',
  tallied: ['assigned_to'],
})

export const contactList = listing(contacts, {
  search: { through: { company_id: 'companies' } },
  filters: {
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_contacts: filter.mine(),
  },
})

export const contactStats = statsOf('ContactStats', contactList, { total: 'total_contacts', mine: 'my_contacts' })
