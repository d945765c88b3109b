import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  documents: { icon: 'document', drawn: { list: 'files' } },
})
