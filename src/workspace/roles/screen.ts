import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  { roles: { icon: 'people', columns: ['name', 'description', 'users_count', 'is_protected'] } },
  { 'permission-matrix': { title: 'Permission matrix', icon: 'board', allow: ['roles.view'], drawn: 'matrix' } },
)
