import { workspace } from '#kernel/http/route.ts'
import { readUsage, StorageUsage } from './usage.ts'

export default [
  workspace.get(
    '/usage',
    {
      allow: 'storage.view',
      description: 'Answers how much the workspace stores and how much it may. What is in the trash does not count.',
      reply: StorageUsage,
    },
    readUsage,
  ),
]
