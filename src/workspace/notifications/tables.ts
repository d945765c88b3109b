/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface DailyDigests {
  created_at: string
  day: string
  tenant_id: number
  user_id: number
}

export interface FcmDeviceTokens {
  created_at: string
  device_name: string | null
  id: Generated<number>
  platform: 'android' | 'ios' | 'web'
  tenant_id: number
  token: string
  updated_at: string
  user_id: number
}

export interface GatheredNews {
  batch_id: string
  body: string
  record_id: number
  subject: string
  tenant_id: number
  title: string
  type: string
  user_id: number
}

export interface NotificationPreferences {
  mail: boolean | null
  push: boolean | null
  tenant_id: number
  type: string
  updated_at: string
  user_id: number
}

export interface Notifications {
  created_at: string
  data: Json
  dedupe_key: string | null
  id: Generated<string>
  read_at: string | null
  tenant_id: number
  type: string
  updated_at: string
  user_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    daily_digests: DailyDigests
    fcm_device_tokens: FcmDeviceTokens
    gathered_news: GatheredNews
    notification_preferences: NotificationPreferences
    notifications: Notifications
  }
}
