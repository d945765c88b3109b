import { accountRoutes } from '#kernel/auth/routes.ts'
import { operators } from './account.ts'

export default accountRoutes(operators)
