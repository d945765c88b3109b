import { forgetClicks } from './retention.ts'

export default [forgetClicks]
