import { accountRoutes } from './accounts/routes.ts'
import { folderRoutes } from './folders/routes.ts'
import { labelRoutes } from './labels/routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { signatureRoutes } from './signatures/routes.ts'
import { templateRoutes } from './templates/routes.ts'

export default [...accountRoutes, ...folderRoutes, ...labelRoutes, ...messageRoutes, ...templateRoutes, ...signatureRoutes]
