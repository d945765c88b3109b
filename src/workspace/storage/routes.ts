import { workspace } from '#kernel/http/route.ts'
import { readUsage, StorageUsage } from './usage.ts'

export default [workspace.get('/usage', { allow: 'storage.view', reply: StorageUsage }, readUsage)]
