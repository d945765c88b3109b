/** What social ads ask of an ad platform. The one that there is speaks Meta's Graph protocol; another would be made here. */
import type { Services } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { graphPlatform } from './graph.ts'

/** A page of the connected account, with the token that acts for it. */
export interface AdPage {
  page_id: string
  name: string
  token: string
}

/** 502 SOCIAL_ADS_UNAVAILABLE from each that asks the platform, when it doesn't answer as it should. */
export interface AdPlatform {
  /** Where somebody grants access; they come back with a code and this state. */
  grantUrl(state: string): string
  /** The account's token for a code. */
  tokenFor(code: string): Promise<string>
  /** At most 500. */
  pagesOf(token: string): Promise<AdPage[]>
  subscribe(page: AdPage): Promise<void>
  unsubscribe(page: AdPage): Promise<void>
  /** What somebody answered in a lead form, by the form's names. */
  answersOf(leadgenId: string, pageToken: string): Promise<Map<string, string>>
}

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
