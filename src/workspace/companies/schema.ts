import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import { formatted, longText, optionalEmail, optionalText, optionalWebsite, stamps, text } from '#kernel/values/fields.ts'
import { languagesInput, languagesShown } from '#workspace/document-texts/public.ts'
import { partyInput, partyShown } from '#workspace/e-invoices/public.ts'

const EXCLUDED = 'Whether they are never reminded of invoices by a reminder plan.'

export const CreateCompany = z.object({
  name: text(255),
  email: optionalEmail(),
  phone: optionalText(50, 'phone'),
  website: optionalWebsite(),
  industry: optionalText(255),
  address: optionalText(1000),
  tax_id: optionalText(100),
  ...languagesInput,
  ...partyInput,
  exclude_from_reminders: z.boolean().describe(EXCLUDED).default(false),
  notes: optionalText(),
  assigned_to: assignee(),
})

export const Company = view('companies', 'Company', {
  id: z.int(),
  name: z.string(),
  email: formatted('email').nullable(),
  phone: formatted('phone').nullable(),
  website: formatted('website').nullable(),
  industry: z.string().nullable(),
  address: longText().nullable(),
  tax_id: z.string().nullable(),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

/** `notes` is the company's own text; the notes of users are `note_entries`. */
export const CompanyDetail = extended(Company, 'CompanyDetail', {
  ...languagesShown,
  ...partyShown,
  exclude_from_reminders: z.boolean().describe(EXCLUDED),
  notes: z.string().nullable(),
  note_entries: newestNotes(),
  activities: activities(),
})
