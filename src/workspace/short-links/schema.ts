import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { derived, view } from '#kernel/records/view.ts'
import { changesOf, choice, formatted, instant, optionalText, stamps } from '#kernel/values/fields.ts'
import { localTime } from '#kernel/values/local-time.ts'
import { customCode } from './codes.ts'
import { destination, shortUrl } from './destination.ts'

export const STATUSES = ['active', 'paused'] as const

const utm = (name: string, example: string) =>
  optionalText(255).meta({
    description: `Appended to the destination as \`${name}\`, for the analytics of the site behind it; null: nothing is.`,
    examples: [example],
  })

const fields = {
  title: optionalText(255),
  destination_url: destination().meta({
    description: 'Where the link leads: an http(s) address. The UTM parameters are appended when it is followed.',
    examples: ['https://nordwind.example/sale'],
  }),
  status: choice(STATUSES)
    .describe('A paused link leads nowhere until it is active again (it answers a 404 page).')
    .default('active'),
  expires_at: localTime()
    .nullish()
    .meta({
      description:
        'From when on the link answers a 404 page; null: never. A time without zone is meant by the workspace’s clock.',
      examples: ['2026-12-31T23:59:00Z'],
    }),
  forwards_query: z
    .boolean('Must be true or false.')
    .default(false)
    .meta({
      description:
        'Whether the query of the address that a visitor follows is handed on to the destination. Parameters that the destination or the UTM fields have already stay as they are.',
      examples: [false],
    }),
  utm_source: utm('utm_source', 'newsletter'),
  utm_medium: utm('utm_medium', 'email'),
  utm_campaign: utm('utm_campaign', 'spring'),
  utm_term: utm('utm_term', 'desks'),
  utm_content: utm('utm_content', 'top-banner'),
}

export const CreateShortLink = z.object({ code: customCode(), ...fields })
/** A code can't be changed (SL-04). */
export const ChangeShortLink = changesOf(z.object(fields))

export const ShortLink = view('short_links', 'ShortLink', {
  id: z.int(),
  uuid: z.uuid(),
  code: z.string().meta({
    description:
      'What stands behind `/r/`: 3 to 64 lower-case letters, digits and hyphens, unique on the platform. Never changes.',
    examples: ['spring-sale'],
  }),
  short_url: derived(formatted('uri'), 'code', (code, { services }) => shortUrl(services.config, code)),
  title: z.string().nullable(),
  destination_url: formatted('website'),
  status: choice(STATUSES),
  expires_at: instant().nullable(),
  forwards_query: z
    .boolean()
    .describe('Whether the query of the address that a visitor follows is handed on to the destination.'),
  utm_source: z.string().nullable(),
  utm_medium: z.string().nullable(),
  utm_campaign: z.string().nullable(),
  utm_term: z.string().nullable(),
  utm_content: z.string().nullable(),
  click_count: z.int().meta({ description: 'How often it was followed, by browsers; known robots don’t count.', examples: [42] }),
  last_clicked_at: instant().nullable(),
  creator: actorRef('created_by'),
  ...stamps,
})
