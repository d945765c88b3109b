import { forgottenPassword } from '#kernel/auth/forgotten.ts'
import { members } from './account.ts'

export default [forgottenPassword(members)]
