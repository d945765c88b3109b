import { limiter } from '#kernel/http/limits.ts'
import { open, platform } from '#kernel/http/route.ts'
import { BrandingAsset, BrandingForm, brand, brandingUpload } from './branding.ts'
import { PublicSettings, showPublicSettings } from './public-settings.ts'
import { ChangedSettings, SystemSettings, showSystemSettings, updateSystemSettings } from './settings.ts'
import { sendTestMail, TestedMail, TestMail } from './test-mail.ts'

const testMail = limiter({ name: 'test-mail', points: 6, seconds: 60, by: 'user' })

const publicly = {
  allow: 'anybody',
  operation: 'showPublicSettings',
  description: 'Answers what the pages of a client need to know before somebody signs in.',
  summary: 'Show the public settings',
} as const

export default [
  platform.get(
    '/system-settings',
    {
      allow: 'system-settings.list',
      description: 'Answers every setting of the platform in its group; of secrets only whether they are set.',
      reply: SystemSettings,
    },
    showSystemSettings,
  ),
  platform.put(
    '/system-settings',
    {
      allow: 'system-settings.update',
      body: ChangedSettings,
      reply: SystemSettings,
      message: 'Settings saved.',
      description: 'Changes the settings that are sent, all of them or, where one is wrong, none. The audit log names the keys.',
    },
    (ctx, { body }) => updateSystemSettings(ctx, body.settings),
  ),
  platform.multiTransaction.post(
    '/system-settings/test-mail',
    {
      allow: 'system-settings.update',
      limit: testMail,
      body: TestMail,
      reply: TestedMail,
      message: 'The test mail was taken.',
      operation: 'sendTestMail',
      summary: 'Send a test mail',
      description: 'At once. 422 on `mail_provider`, in the words of the provider, when it does not take the mail.',
    },
    (steps, { body }) => sendTestMail(steps, body.email),
  ),
  platform.post(
    '/system-settings/branding/:asset',
    {
      allow: 'system-settings.update',
      body: BrandingForm,
      upload: { file: { ...brandingUpload, required: true } },
      reply: BrandingAsset,
      message: 'Picture saved.',
      operation: 'uploadBranding',
      summary: 'Upload a picture of the platform',
      description: '`logo` and `favicon` up to 2 MB, the `auth-image-…` up to 8 MB.',
    },
    (ctx, { asset, files }) => brand(ctx, asset, files.file),
  ),
  open.get('/public/settings', { ...publicly, reply: PublicSettings }, showPublicSettings),
]
