/** Demo: operator's details for invoices. Existing values stay. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { storePlatformSettings } from '#kernel/modules/platform-settings.ts'

const settings = {
  company_name: 'Atrium Cloud Cooperative',
  support_email: 'help@platform.example',
  button_color: '#1f4f82',
  founding_beta_invite_ttl_days: 21,
}

export default defineDemo({
  async fillPlatform(ctx) {
    const stored = await ctx.tx.selectFrom('platform_settings').select('key').where('key', 'in', Object.keys(settings)).execute()
    const known = new Set(stored.map(({ key }) => key))
    const missing = Object.entries(settings).filter(([key]) => !known.has(key))
    await storePlatformSettings(ctx, Object.fromEntries(missing))
    return missing.length
  },
})
