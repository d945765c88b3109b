/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface ShortLinkClicks {
  clicked_at: string
  device_type: 'desktop' | 'mobile' | 'tablet' | 'bot' | 'unknown'
  id: Generated<number>
  link_id: number
  referrer: string | null
  tenant_id: number
  user_agent: string | null
}

export interface ShortLinkCodes {
  code: string
  tenant_id: number
}

export interface ShortLinkQuarters {
  clicks: number
  link_id: number
  quarter: string
  tenant_id: number
}

export interface ShortLinkSources {
  clicks: number
  kind: 'device' | 'referrer'
  link_id: number
  name: string
  tenant_id: number
}

export interface ShortLinks {
  click_count: Generated<number>
  clicks_from: string | null
  clicks_gone: Generated<number>
  code: string
  created_at: string
  created_by: number | null
  deleted_at: string | null
  destination_url: string
  expires_at: string | null
  external_id: string | null
  forwards_query: Generated<boolean>
  id: Generated<number>
  last_clicked_at: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'active' | 'paused'>
  summed_up_to: Generated<number>
  tenant_id: number
  title: string | null
  unsummed_clicks: Generated<number>
  updated_at: string
  utm_campaign: string | null
  utm_content: string | null
  utm_medium: string | null
  utm_source: string | null
  utm_term: string | null
  uuid: Generated<string>
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    short_link_clicks: ShortLinkClicks
    short_link_codes: ShortLinkCodes
    short_link_quarters: ShortLinkQuarters
    short_link_sources: ShortLinkSources
    short_links: ShortLinks
  }
}
