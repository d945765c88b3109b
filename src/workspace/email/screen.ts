import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({}, { inbox: { title: 'Inbox', icon: 'mail', allow: ['email.view'], drawn: 'inbox' } })
