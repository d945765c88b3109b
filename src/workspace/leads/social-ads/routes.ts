import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { formatted } from '#kernel/values/fields.ts'
import { AdPageRef, ChangeSocialAds, changeSocialAds, disconnect, SocialAds, showSocialAds } from './connection.ts'
import { beginGrant } from './oauth.ts'
import { ChoosePages, choosePages, listPages } from './pages.ts'
import { adDeliveryList, LeadAdDelivery } from './retrieval.ts'

const { get, patch, multiTransaction } = workspace
/** LEAD-72. */
const allow = 'leads.manage_integrations'

export default [
  get(
    '/',
    { allow, reply: SocialAds, description: 'Answers whether the ad platform is connected, and the pages whose leads arrive.' },
    (ctx) => showSocialAds(ctx),
  ),
  patch(
    '/',
    {
      allow,
      grants: true,
      body: ChangeSocialAds,
      reply: SocialAds,
      message: 'Social ads saved.',
      description: 'Changes what is done with leads that arrive from the ad platform.',
    },
    (ctx, { body }) => changeSocialAds(ctx, body),
  ),
  multiTransaction.get(
    '/pages',
    {
      allow,
      description: 'Asks the ad platform for all pages that the connected account manages.',
      errors: [422, 502],
      reply: z.array(AdPageRef),
    },
    (steps) => listPages(steps),
  ),
  multiTransaction.post(
    '/pages',
    {
      operation: 'chooseSocialAdsPages',
      description: 'Subscribes to the leads of these pages and of no others; an empty list ends all subscriptions.',
      summary: 'Choose the pages whose leads arrive',
      allow,
      grants: true,
      errors: [502],
      body: ChoosePages,
      reply: SocialAds,
      message: 'Pages saved.',
    },
    (steps, { body }) => choosePages(steps, body),
  ),
  get(
    '/oauth/redirect',
    {
      operation: 'beginSocialAdsGrant',
      summary: 'Begin to grant access to social ads',
      allow,
      description: 'Sets a cookie, by which the browser that comes back is known to be the one in which this was asked for.',
      reply: z.object({ url: formatted('uri') }),
      answer: 'application/json',
      grants: true,
      writes: true,
    },
    (ctx) => beginGrant(ctx),
  ),
  multiTransaction.post(
    '/disconnect',
    {
      allow,
      grants: true,
      message: 'Social ads disconnected.',
      description: 'Ends the connection with the ad platform and forgets its pages. Leads that came stay.',
    },
    (steps) => disconnect(steps),
  ),
  get(
    '/deliveries',
    {
      allow,
      query: adDeliveryList.query,
      description: 'Answers a page of what the ad platform delivered and what became of it, the newest first.',
      page: LeadAdDelivery,
    },
    (ctx, { query }) => adDeliveryList.page(ctx, query),
  ),
]
