import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  users: { columns: ['name', 'email', 'role', 'is_owner', 'email_verified_at', 'suspended_at'] },
})
