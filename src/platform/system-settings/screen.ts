import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  {},
  { 'system-settings': { title: 'System settings', icon: 'sliders', allow: ['system-settings.list'], drawn: 'settings' } },
)
