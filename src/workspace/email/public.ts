/** E-mail functions for other modules. */
export { readAttachment } from './messages/content.ts'
