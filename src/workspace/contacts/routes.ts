import { z } from 'zod'
import { activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { choice } from '#kernel/values/fields.ts'
import { contactList, contactStats, contacts } from './contacts.ts'
import { CreateContact } from './schema.ts'
import { type CardOfContact, VERSIONS, vcardOf } from './vcard.ts'

export default [
  ...recordRoutes(contacts, { list: contactList, stats: contactStats, body: CreateContact }),
  workspace.get(
    '/:id/vcard',
    {
      allow: 'contacts.view',
      query: z.object({
        version: choice(VERSIONS)
          .default('4.0')
          .meta({ description: 'Version of the vCard.', examples: ['4.0'] }),
      }),
      file: 'text/vcard',
      operation: 'showContactVcard',
      summary: 'Show a contact as a vCard',
      description: 'Answers the contact as a .vcf file, which address books read and an import of contacts reads again.',
    },
    async (ctx, { id, query: { version } }) => {
      const contact = JSON.parse((await contacts.render(ctx, id)).text) as CardOfContact
      return {
        name: `contact-${id}.vcf`,
        type: 'text/vcard; charset=utf-8',
        content: () => Buffer.from(vcardOf(contact, version)),
      }
    },
  ),
  ...activityRoutes(contacts),
  assignRoute(contacts),
]
