import { on } from '#kernel/modules/events.ts'
import { checkInOnSignIn } from './self-check.ts'

export default [on('user.signed_in', checkInOnSignIn)]
