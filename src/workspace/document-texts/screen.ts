import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({ 'document-texts': { drawn: { list: 'own-words' } } })
