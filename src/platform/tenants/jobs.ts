import { endUnproven } from './ending.ts'
import { eraseTenants } from './erasing.ts'
import { seedModules } from './seeding.ts'

export default [seedModules, eraseTenants, endUnproven]
