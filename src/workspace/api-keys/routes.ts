import { ownKeyRoutes } from '#kernel/auth/keys/routes.ts'
import { workspace } from '#kernel/http/route.ts'

export default ownKeyRoutes(workspace as never)
