export { follow } from './redirects/redirects.ts'
