import { drawIssued } from './drawing.ts'

export default [drawIssued]
