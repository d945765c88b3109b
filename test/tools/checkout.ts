/** Copy of the checkout without its history and data, for tools that write into it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..')

const LEFT_OUT = new Set(['.git', 'node_modules', 'data', 'coverage', '.env'])

/**
 * `packages`: copies installed packages too, which takes some seconds. Children of the service may read nothing outside of their
 * checkout.
 */
export function copyOfCheckout({ packages }: { packages: boolean }) {
  const leftOut = packages ? LEFT_OUT : LEFT_OUT.union(new Set(['packages/client/node_modules']))
  const copy = mkdtempSync('/tmp/atrium-checkout-') // on a disk, where hard links to the many packages cost nothing
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.has(relative(root, path)) })
  const from = `${join(root, 'node_modules')}/`
  const packagesOf = join(copy, 'node_modules')
  const copied = (options: string) => spawnSync('cp', [options, from, packagesOf]).status === 0
  if (packages && !copied('-RlP')) {
    rmSync(packagesOf, { recursive: true, force: true }) // hard links don't cross file systems
    copied('-RP')
  }
  return { copy, remove: () => rmSync(copy, { recursive: true, force: true }) }
}
