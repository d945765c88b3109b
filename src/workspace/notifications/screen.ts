import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({ notifications: { icon: 'bell', drawn: { list: 'news' } } })
