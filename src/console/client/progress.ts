/** How far an upload is, for the screens that show it: apart from `api.ts`, which everybody loads. */
export { progress } from '#client/progress.ts'
