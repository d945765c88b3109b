/** A copy of the checkout, for what writes into one: without its history and data. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..')

const LEFT_OUT = new Set(['.git', 'node_modules', 'data', 'coverage', '.env'])

/** `packages`: with those that are installed, which takes some seconds. Children of the service may read nothing outside of their checkout. */
export function copyOfCheckout({ packages }: { packages: boolean }) {
  const leftOut = packages ? LEFT_OUT : LEFT_OUT.union(new Set(['packages/client/node_modules']))
  const copy = mkdtempSync('/tmp/atrium-checkout-') // on a disk: packages are many, and links to them cost nothing
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.has(relative(root, path)) })
  const from = `${join(root, 'node_modules')}/`
  const packagesOf = join(copy, 'node_modules')
  const copied = (options: string) => spawnSync('cp', [options, from, packagesOf]).status === 0
  if (packages && !copied('-RlP')) {
    rmSync(packagesOf, { recursive: true, force: true }) // another disk holds no links to this one
    copied('-RP')
  }
  return { copy, remove: () => rmSync(copy, { recursive: true, force: true }) }
}
