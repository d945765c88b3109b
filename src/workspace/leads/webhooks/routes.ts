import { workspace } from '#kernel/http/route.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { DeliveryQuery, deliveryList, LeadWebhookDelivery } from './deliveries.ts'
import {
  CreateEndpoint,
  changeEndpoint,
  createEndpoint,
  EndpointWithSecrets,
  endpointList,
  endpoints,
  rotate,
} from './endpoints.ts'

const { get, post, put, del } = workspace
/** LEAD-72. */
const allow = 'leads.manage_integrations'
const one = { allow, grants: true, record: endpoints.lock } as const

export default [
  get('/', { allow, query: endpointList.query, page: endpoints.item }, (ctx, { query }) => endpointList.page(ctx, query)),
  post(
    '/',
    {
      allow,
      grants: true,
      body: CreateEndpoint,
      reply: EndpointWithSecrets,
      status: 201,
      message: 'Endpoint created. Its key and its secret are shown this once.',
      description: 'Creates an address at which leads arrive, and answers its key and signing secret, once.',
    },
    (ctx, { body }) => createEndpoint(ctx, body),
  ),
  get('/:id', { allow, reply: endpoints.item }, (ctx, { id }) => endpoints.show(ctx, id)),
  put(
    '/:id',
    { ...one, body: changesOf(CreateEndpoint), reply: endpoints.item, message: 'Endpoint saved.' },
    async (ctx, { id, record, body }) => {
      await changeEndpoint(ctx, record, body)
      return endpoints.show(ctx, id)
    },
  ),
  del('/:id', { ...one, message: 'Endpoint deleted.' }, (ctx, { record }) => endpoints.remove(ctx, record)),
  post(
    '/:id/rotate',
    {
      ...one,
      reply: EndpointWithSecrets,
      message: 'The earlier key and secret have ended. The new ones are shown this once.',
      description: 'Gives the endpoint a new key and signing secret, told once; the earlier ones end at once.',
    },
    (ctx, { record }) => rotate(ctx, record),
  ),
  get(
    '/:id/deliveries',
    {
      allow,
      description: 'Answers a page of what arrived at the endpoint and what was refused, the newest first.',
      query: DeliveryQuery,
      page: LeadWebhookDelivery,
    },
    async (ctx, { id, query }) => {
      await endpoints.find(ctx, id)
      return deliveryList.page(ctx, { ...query, endpoint_id: id })
    },
  ),
]
