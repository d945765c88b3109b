/** Each route answers at the root, as integrations are told it, and below the workspace API too. */
import { limiter } from '#kernel/http/limits.ts'
import { by, type Route } from '#kernel/http/route.ts'
import { byEndpoint, ReceivedLead, receive } from '#workspace/leads/public.ts'

const limit = limiter({ name: 'lead-ingress', points: 600, seconds: 60, by: 'ip' })
const endpoint = by(byEndpoint)

const routesBelow = (base: '' | '/api/tenant/v1'): Route[] => [
  endpoint.inSteps.post(
    `${base}/webhooks/leads/custom/:uuid`,
    {
      allow: 'anybody',
      limit,
      raw: true,
      notIdempotent: true, // of two calls with one signature the second is refused
      reply: ReceivedLead,
      status: 201,
      message: 'Lead received.',
      operation: 'receiveLead',
      summary: 'Deliver a lead to a webhook endpoint',
      description:
        'A JSON object: the fields of a lead, or those that the endpoint’s field map names. Without `lead_type` it is direct.',
    },
    (steps, { guest, raw }) => receive(steps, guest, raw),
  ),
]

export default [...routesBelow(''), ...routesBelow('/api/tenant/v1')]
