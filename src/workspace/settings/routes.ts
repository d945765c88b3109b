import { workspace } from '#kernel/http/route.ts'
import { Settings, showSettings, updateSettings } from './settings.ts'

export default [
  workspace.get('/', { allow: 'settings.view', reply: Settings }, showSettings),
  workspace.put('/', { allow: 'settings.update', body: Settings, reply: Settings, message: 'Settings saved.' }, (ctx, { body }) =>
    updateSettings(ctx, body.settings),
  ),
]
