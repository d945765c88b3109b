import { z } from 'zod'
import { userRef } from '#kernel/records/embed.ts'
import { derived, view } from '#kernel/records/view.ts'
import { changesOf, choice, formatted, instant, optionalText, stamps } from '#kernel/values/fields.ts'
import { localTime } from '#kernel/values/local-time.ts'
import { customCode } from './codes.ts'
import { destination, shortUrl } from './destination.ts'

export const STATUSES = ['active', 'paused'] as const

const fields = {
  title: optionalText(255),
  destination_url: destination(),
  status: choice(STATUSES).default('active'),
  expires_at: localTime().nullish(),
  utm_source: optionalText(255),
  utm_medium: optionalText(255),
  utm_campaign: optionalText(255),
  utm_term: optionalText(255),
  utm_content: optionalText(255),
}

export const CreateShortLink = z.object({ code: customCode(), ...fields })
/** A code stays what it is (SL-04). */
export const ChangeShortLink = changesOf(z.object(fields))

export const ShortLink = view('short_links', 'ShortLink', {
  id: z.int(),
  uuid: z.uuid(),
  code: z.string(),
  short_url: derived(formatted('uri'), 'code', (code, { services }) => shortUrl(services.config, code)),
  title: z.string().nullable(),
  destination_url: formatted('uri'),
  status: choice(STATUSES),
  expires_at: instant().nullable(),
  utm_source: z.string().nullable(),
  utm_medium: z.string().nullable(),
  utm_campaign: z.string().nullable(),
  utm_term: z.string().nullable(),
  utm_content: z.string().nullable(),
  click_count: z.int(),
  last_clicked_at: instant().nullable(),
  creator: userRef('created_by'),
  ...stamps,
})
