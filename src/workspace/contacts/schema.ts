import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import { formatted, longText, optionalEmail, optionalRef, optionalText, stamps, text } from '#kernel/values/fields.ts'
import { languagesInput, languagesShown } from '#workspace/document-texts/public.ts'
import { partyInput, partyShown } from '#workspace/e-invoices/public.ts'

/** `company` is the company's name as the contact states it; `company_id` is a company of this workspace. */
const EXCLUDED = 'Whether they are never reminded of invoices by a reminder plan.'

export const CreateContact = z.object({
  name: text(255),
  email: optionalEmail(),
  phone: optionalText(50, 'phone'),
  job_title: optionalText(255),
  company: optionalText(255).meta({ title: 'Company name' }),
  company_id: optionalRef('company'),
  address: optionalText(1000),
  tax_id: optionalText(100),
  ...languagesInput,
  ...partyInput,
  exclude_from_reminders: z.boolean().describe(EXCLUDED).default(false),
  notes: optionalText(),
  assigned_to: assignee(),
})

export const Contact = view('contacts', 'Contact', {
  id: z.int(),
  name: z.string(),
  email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  job_title: z.string().nullable(),
  company: z
    .string()
    .nullable()
    .meta({
      title: 'Company name',
      description: 'What the person says their firm is called: free text. `company_id` names a company of this workspace.',
      examples: ['Nordwind GmbH'],
    }),
  company_id: z.int().nullable(),
  linked_company: nameRef('company_id', 'company'),
  address: longText().nullable(),
  tax_id: z.string().nullable(),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

/** `notes` is the contact's own text; the notes of users are `note_entries`. */
export const ContactDetail = extended(Contact, 'ContactDetail', {
  ...languagesShown,
  ...partyShown,
  exclude_from_reminders: z.boolean().describe(EXCLUDED),
  notes: z.string().nullable(),
  note_entries: newestNotes(),
  activities: activities(),
})

/** Columns from which vCards are built. */
export const CardOfContact = ContactDetail.pick({
  ...{ id: true, name: true, email: true, phone: true, job_title: true, company: true, linked_company: true, address: true },
  ...{ street: true, postcode: true, city: true, country: true, notes: true, updated_at: true },
})
