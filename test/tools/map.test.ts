/** docs/map.svg is current and correct: layers, cycles and upward imports in red, no duplicates. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { currentMap, mapOf } from '../../tools/map.ts'
import { root } from './checkout.ts'

const pathsOf = (svg: string, kind: string) =>
  [...svg.matchAll(new RegExp(`<path class="${kind}".*?<title>(.*?)</title>`, 'g'))].map(([, title]) => title!).sort()
const heightsOf = (svg: string) =>
  Object.fromEntries([...svg.matchAll(/y="(\d+)"[^>]* text-anchor="middle">([^<]+)</g)].map(([, y, name]) => [name!, Number(y)]))

describe('the map', () => {
  it('shows the imports as they are', () => {
    const isCurrent = readFileSync(join(root, 'docs/map.svg'), 'utf8') === currentMap(root)
    assert.ok(isCurrent, 'docs/map.svg is stale: run npm run map')
  })

  const files = new Map([
    [
      'src/workspace/leads/a.ts',
      `import { b } from '#workspace/contacts/public.ts'\nimport { c } from '#workspace/users/public.ts'`,
    ],
    [
      'src/workspace/contacts/public.ts',
      `import { c } from '#workspace/users/public.ts'\nimport { k } from '#kernel/records/k.ts'`,
    ],
    [
      'src/workspace/users/public.ts',
      `import type { V } from '#kernel/values/v.ts'\nconst x = () => import('#workspace/leads/a.ts')`,
    ],
    ['src/kernel/records/k.ts', `import { h } from '../http/h.ts'`],
    ['src/kernel/http/h.ts', `import { k } from '../records/k.ts'\nimport { v } from '../values/v.ts'`],
    ['src/kernel/values/v.ts', ''],
  ])

  it('draws each arrow once, leaves out what a longer way says and calls, and marks circles', () => {
    const svg = mapOf(files)
    assert.deepEqual(pathsOf(svg, 'arrow'), [
      'kernel/http → kernel/values',
      'workspace/contacts → workspace/users',
      'workspace/leads → workspace/contacts',
    ])
    assert.deepEqual(pathsOf(svg, 'circle'), ['kernel/http → kernel/records', 'kernel/records → kernel/http'])
  })

  it('puts a folder above what it imports, and those of the kernel on their floors', () => {
    const { leads, contacts, users, records, http, values } = heightsOf(mapOf(files)) as Record<string, number>
    assert.ok(leads! < contacts! && contacts! < users! && users! < http! && http! < records! && records! < values!)
  })

  it('is the same whatever order the files are read in', () => {
    assert.equal(mapOf(new Map([...files].reverse())), mapOf(files))
  })
})
