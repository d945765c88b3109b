/** What social ads ask of an ad platform. The one that there is speaks Meta's Graph protocol; another would be made here. */
import type { Services } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { type AdPlatform, graphPlatform } from './graph.ts'

export const isConfigured = ({ config }: Services) => Boolean(config.SOCIAL_ADS_APP_ID && config.SOCIAL_ADS_APP_SECRET)

/** 422 on `connection` where no app at the platform is configured. */
export function platformOf({ config }: Services): AdPlatform {
  const { SOCIAL_ADS_APP_ID: appId, SOCIAL_ADS_APP_SECRET: appSecret } = config
  if (!appId || !appSecret) throw invalid({ connection: 'Social ads are not configured on this service.' })
  return graphPlatform({
    appId,
    appSecret,
    apiUrl: config.SOCIAL_ADS_API_URL,
    callbackUrl: `${config.BASE_URL}/api/oauth/leads/social-ads/callback`,
  })
}
