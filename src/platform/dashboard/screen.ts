import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({}, { overview: { title: 'Overview', icon: 'home', allow: ['dashboard.view'], drawn: 'overview' } })
