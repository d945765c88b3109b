import { ownKeyRoutes } from '#kernel/auth/keys/routes.ts'
import { platform } from '#kernel/http/route.ts'

export default ownKeyRoutes(platform)
