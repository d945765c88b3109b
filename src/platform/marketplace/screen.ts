import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({ 'marketplace-modules': { title: 'Modules on sale' } })
