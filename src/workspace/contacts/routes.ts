import { activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { contactList, contactStats, contacts } from './contacts.ts'
import { CreateContact } from './schema.ts'

export default [
  ...recordRoutes(contacts, { list: contactList, stats: contactStats, body: CreateContact }),
  ...activityRoutes(contacts),
  assignRoute(contacts),
]
