import type { BlockList } from 'node:net'
import type { Services } from '../context.ts'
import { networksOf } from '../networks.ts'

const lists = new WeakMap<Services['config'], BlockList>()

/** Internal networks to which webhooks may be sent: WEBHOOK_ALLOWED_NETWORKS. */
export const allowedNetworks = ({ config }: Pick<Services, 'config'>) =>
  lists.getOrInsertComputed(config, () => networksOf(config.WEBHOOK_ALLOWED_NETWORKS ?? []))
