import { forgottenPassword } from '#kernel/auth/forgotten.ts'
import { operators } from './account.ts'

export default [forgottenPassword(operators)]
