import { open } from '#kernel/http/route.ts'
import { registrationPage } from './page.ts'

export default [
  open.get(
    '/register',
    {
      allow: 'anybody',
      answer: 'text/html',
      operation: 'openRegistrationPage',
      description: 'A page with a form by which anybody can register a workspace.',
      summary: 'The page of registration',
    },
    registrationPage,
  ),
]
