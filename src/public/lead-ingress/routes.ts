/** Routes that receive leads. Webhooks are at the root, as integrations know them, and below the workspace API. */
import { plainText } from '#kernel/http/answer.ts'
import { limiter } from '#kernel/http/limits.ts'
import { open, type Route, routesFor } from '#kernel/http/route.ts'
import {
  answerChallenge,
  byEndpoint,
  byPlatform,
  Callback,
  Challenge,
  finishGrant,
  Received,
  ReceivedLead,
  receive,
  receiveNotification,
} from '#workspace/leads/public.ts'

const limit = limiter({ name: 'lead-ingress', points: 600, seconds: 60, by: 'ip' })
const common = { allow: 'anybody', limit } as const
/** The caller's signature already protects against repetition. */
const signed = { ...common, raw: true, notIdempotent: true } as const
const endpoint = routesFor(byEndpoint)
const fromPlatform = (route: Route): Route => ({ ...route, auth: byPlatform })

const webhooksBelow = (base: '' | '/api/tenant/v1'): Route[] => [
  endpoint.multiTransaction.post(
    `${base}/webhooks/leads/custom/:uuid`,
    {
      ...signed,
      rawMultipart: true,
      reply: ReceivedLead,
      status: 201,
      message: 'Lead received.',
      operation: 'receiveLead',
      summary: 'Deliver a lead to a webhook endpoint',
      description:
        'A JSON object in UTF-8: the fields of a lead, or those that the endpoint’s field map names. It is read as such whatever `Content-Type` says, unless that is `application/x-www-form-urlencoded` or `multipart/form-data` and the body is such a form. A form’s files are passed over. `first_name` and `last_name` make the name where none is sent. The domain of an e-mail address may be international. Without `lead_type` it is direct.',
    },
    (steps, { guest, raw, headers }) => receive(steps, guest, raw, headers['content-type']),
  ),
  open.get(
    `${base}/webhooks/leads/social-ads`,
    {
      ...common,
      errors: [403],
      query: Challenge,
      answer: 'text/plain',
      operation: 'verifySocialAds',
      description: 'Answers the challenge by which the ad platform checks this address.',
      summary: 'Verify the webhook of social ads',
    },
    (ctx, { query }) => plainText(answerChallenge(ctx, query)),
  ),
  fromPlatform(
    open.post(
      `${base}/webhooks/leads/social-ads`,
      {
        ...signed,
        reply: Received,
        operation: 'receiveSocialAds',
        summary: 'Tell of leads of social ads',
        description: 'A notification of the ad platform. `received` counts what is new.',
      },
      (ctx, { raw }) => receiveNotification(ctx, raw),
    ),
  ),
]

export default [
  ...webhooksBelow(''),
  ...webhooksBelow('/api/tenant/v1'),
  open.multiTransaction.get(
    '/api/oauth/leads/social-ads/callback',
    {
      ...common,
      errors: [403, 502],
      query: Callback,
      answer: 'text/html',
      writes: true,
      operation: 'finishSocialAdsGrant',
      description: 'Where the ad platform sends the browser back; a page that says whether the connection stands.',
      summary: 'Come back from granting access to social ads',
    },
    (steps, input) => finishGrant(steps, input),
  ),
]
