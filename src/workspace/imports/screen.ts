import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  imports: {
    begun: {
      says: 'An import begins in the list of what it brings in: there, choose Import in the menu with the three dots.',
      steps: ['table', 'preview', 'run'],
    },
  },
})
