import { Readable } from 'node:stream'
import { z } from 'zod'
import { streamExport } from '#kernel/export/file.ts'
import { activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { inSlices } from '#kernel/loop-slices.ts'
import { batches } from '#kernel/records/batches.ts'
import { choice } from '#kernel/values/fields.ts'
import { contactList, contactStats, contacts } from './contacts.ts'
import { CardOfContact, CreateContact } from './schema.ts'
import { type ContactCard, VERSIONS, type Version, vcardOf } from './vcard.ts'

const TYPE = 'text/vcard'
const TYPE_UTF8 = `${TYPE}; charset=utf-8`
const version = choice(VERSIONS)
  .default('4.0')
  .meta({ description: 'Version of the vCards.', examples: ['4.0'] })

export default [
  ...recordRoutes(contacts, { list: contactList, stats: contactStats, body: CreateContact }),
  workspace.get(
    '/:id/vcard',
    {
      allow: 'contacts.view',
      query: z.object({ version }),
      file: TYPE,
      operation: 'showContactVcard',
      summary: 'Show a contact as a vCard',
      description: 'Answers the contact as a .vcf file, which address books read and an import of contacts reads again.',
    },
    async (ctx, { id, query: { version } }) => {
      const contact = JSON.parse((await contacts.render(ctx, id)).text) as ContactCard
      return {
        name: `contact-${id}.vcf`,
        type: TYPE_UTF8,
        content: () => Buffer.from(vcardOf(contact, version)),
      }
    },
  ),
  workspace.multiTransaction.get(
    '/vcards/export',
    {
      allow: 'contacts.export',
      query: contactList.queryWith({ version }),
      file: TYPE,
      operation: 'exportContactVcards',
      summary: 'Export contacts as vCards',
      description:
        'Answers the contacts that the filters find as one .vcf file, which address books read and an import of contacts reads again.',
    },
    (steps, { query: { version, ...query } }) =>
      streamExport(steps, {
        ...{
          name: 'contacts',
          extension: 'vcf',
          type: TYPE_UTF8,
          rows: batches(contactList, query, steps.read, CardOfContact),
        },
        write: (rows) => Readable.from(vcards(rows, steps.tenant.id, version)),
      }),
  ),
  ...activityRoutes(contacts),
  assignRoute(contacts),
]

/** Yields the cards batch by batch, built in time slices that are charged to the workspace. */
async function* vcards(rows: AsyncIterable<ContactCard[]>, workspaceId: number, version: Version): AsyncGenerator<string> {
  for await (const batch of rows) yield (await inSlices(workspaceId, batch, (contact) => vcardOf(contact, version))).join('')
}
