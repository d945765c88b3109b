import { open } from '#kernel/http/route.ts'
import { registrationPage } from './page.ts'

export default [
  open.get(
    '/register',
    { allow: 'anybody', answer: 'text/html', operation: 'openRegistrationPage', summary: 'The page of registration' },
    registrationPage,
  ),
]
