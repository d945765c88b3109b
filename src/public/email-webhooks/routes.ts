/** At the root of the service, as providers are told it: for all mails, or for those of one workspace. docs/configuration.md says how. */
import { limiter } from '#kernel/http/limits.ts'
import { open, type Route } from '#kernel/http/route.ts'
import { type Envelope, receive, withHeaders } from './receiving.ts'

/** 600 a minute by address. */
const limit = limiter({ name: 'email-webhooks', points: 600, seconds: 60, by: 'ip' })

/** What a provider tells twice counts once: an Idempotency-Key has no use here. */
const spec = { allow: 'anybody', limit, raw: true, notIdempotent: true, message: 'Received.' } as const

const seeingHeaders = (route: Route): Route => ({ ...route, entrance: withHeaders })
const envelope = (guest: unknown) => guest as Envelope

export default [
  open.inSteps.post('/webhooks/email/:provider', spec, (steps, { provider, raw, guest }) =>
    receive(steps, provider, raw, envelope(guest)),
  ),
  open.inSteps.post('/webhooks/email/:provider/:slug', spec, (steps, { provider, slug, raw, guest }) =>
    receive(steps, provider, raw, envelope(guest), slug),
  ),
].map(seeingHeaders)
