import { accountRoutes } from '#kernel/auth/routes.ts'
import { members } from './account.ts'

export default accountRoutes(members)
