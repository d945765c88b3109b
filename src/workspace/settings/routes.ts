import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { Logo, logoRule, removeLogo, saveLogo, showLogo } from './logo.ts'
import { Settings, showSettings, updateSettings } from './settings.ts'

const { get, put, del, multiTransaction } = workspace

export default [
  get(
    '/',
    {
      allow: 'settings.view',
      reply: Settings,
      description: 'Answers every setting of the workspace with its value, or its default where it was never set.',
    },
    showSettings,
  ),
  put(
    '/',
    {
      allow: 'settings.update',
      grants: 'settings',
      body: Settings,
      reply: Settings,
      message: 'Settings saved.',
      description: 'Changes the settings that are sent, all of them or, where one is wrong, none.',
    },
    (ctx, { body }) => updateSettings(ctx, body.settings),
  ),
  get(
    '/logo',
    {
      allow: 'settings.view',
      reply: Logo,
      operation: 'showLogo',
      description: 'Answers the address of the workspace’s logo.',
      summary: 'Show the logo',
    },
    showLogo,
  ),
  multiTransaction.put(
    '/logo',
    {
      allow: 'settings.update',
      grants: false,
      body: z.object({}),
      upload: { file: logoRule },
      reply: Logo,
      message: 'Logo saved.',
      operation: 'uploadLogo',
      summary: 'Upload the logo',
      description:
        'A PNG or SVG picture of up to 2 MB, for documents, mails and pages. An SVG with scripts, events or parts from elsewhere is refused.',
    },
    (steps, { files }) => saveLogo(steps, files.file),
  ),
  del(
    '/logo',
    {
      allow: 'settings.update',
      grants: false,
      reply: Logo,
      message: 'Logo removed.',
      description: 'Removes the logo. Documents that were issued with it keep it.',
      operation: 'removeLogo',
      summary: 'Remove the logo',
    },
    removeLogo,
  ),
]
