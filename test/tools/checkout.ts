/** A copy of the checkout, for what writes into one: without its history and data. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..')

const LEFT_OUT = new Set(['.git', 'node_modules', 'data', 'coverage', '.env'])

/** `packages`: with those that are installed, which takes some seconds. Children of the service may read nothing outside of their checkout. */
export function copyOfCheckout({ packages }: { packages: boolean }) {
  const copy = mkdtempSync(join(tmpdir(), 'atrium-checkout-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(root, path)) })
  const from = `${join(root, 'node_modules')}/`
  const link = (options: string) => packages && spawnSync('cp', [options, from, join(copy, 'node_modules')]).status !== 0
  if (link('-RlP')) link('-RP') // another disk holds no links to this one
  return { copy, remove: () => rmSync(copy, { recursive: true, force: true }) }
}
