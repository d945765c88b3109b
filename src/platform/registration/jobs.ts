import { endUnproven } from './unproven.ts'

export default [endUnproven]
