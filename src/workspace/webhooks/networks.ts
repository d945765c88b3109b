import { BlockList, isIPv6 } from 'node:net'
import type { Services } from '#kernel/context.ts'

const lists = new WeakMap<Services['config'], BlockList>()

/** Networks of the operator's own to which webhooks may go: WEBHOOK_ALLOWED_NETWORKS. */
export const allowedNetworks = ({ config }: Pick<Services, 'config'>) =>
  lists.getOrInsertComputed(config, () => {
    const list = new BlockList()
    for (const network of config.WEBHOOK_ALLOWED_NETWORKS ?? []) {
      const [address, bits] = network.split('/') as [string, string?]
      const isSix = isIPv6(address)
      list.addSubnet(address, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
    }
    return list
  })
