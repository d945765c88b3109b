import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({ 'audit-logs': { columns: ['created_at', 'event', 'actor', 'impersonator', 'ip'] } })
