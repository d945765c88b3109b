import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  tasks: { icon: 'check', columns: ['title', 'status', 'due_on', 'project_id', 'assigned_to', 'created_at'] },
})
