/** The check of regular expressions (`tools/regexes.ts`) finds its targets. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'atrium-regexes-'))
after(() => rmSync(folder, { recursive: true }))

/** Returns the lines with findings in a file, and the check's output. */
function checked(lines: string[]) {
  writeFileSync(join(folder, 'some.ts'), lines.join('\n'))
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../tools/regexes.ts'), folder], {
    encoding: 'utf8',
  })
  return { status, stderr, found: [...stderr.matchAll(/some\.ts:(\d+) {2}/g)].map(([, line]) => Number(line)) }
}

it('finds what is exponential, polynomial, slow at the end of a text, or known at run time only', () => {
  const bad = [
    'export const a: RegExp = /^(a+)+$/',
    String.raw`export const b = (text: string) => text.replace(/\s+$/, '')`,
    String.raw`export const c = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/`,
    'export const d = /^.*foo.*bar$/s',
    String.raw`export const e = /^(\w{1,20}\s?){1,50}$/`,
    String.raw`const SPACE = '\\s*'`,
    'export const f = new RegExp(`^$' + '{SPACE}$' + '{SPACE}x`)',
    'export const g = (name: string) => new RegExp(name)',
  ]
  const { status, stderr, found } = checked(bad)
  assert.deepEqual([status, found], [1, [1, 2, 3, 4, 5, 7, 8]], stderr)
  assert.match(stderr, /some\.ts:1 {2}\/\^\(a\+\)\+\$\/\n {4}exponential, for example on 'a' \+ 'a'\.repeat\(\d+\)/)
  assert.match(stderr, /some\.ts:8 {2}name\n {4}is made of what only running tells/)
})

it('takes what is linear', () => {
  const { status, stderr } = checked([
    String.raw`export const a = /^\d{4}-\d\d-\d\d$/`,
    String.raw`export const b = /^[\w-]+(\.[\w-]+)*$/i`,
    String.raw`export const c = /@\[[^\]\n]{1,255}\]\((\d{1,15})\)/g`,
    'export const d = `/(a+)+$/` // a text, and no regex: /(a+)+$/',
  ])
  assert.deepEqual([status, stderr], [0, ''])
})
