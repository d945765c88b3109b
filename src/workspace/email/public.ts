/** What other modules may ask of e-mail. */
export { readAttachment } from './messages/content.ts'
