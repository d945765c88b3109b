/** PostgreSQL refuses to run as root: the account used instead, how commands run as it, and its access to files. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** An account of the operating system. */
export interface Account {
  uid: number
  gid: number
}

/** A command with the options to spawn it. */
export interface Command {
  file: string
  args: string[]
  options: { cwd: string; env: Record<string, string>; uid?: number; gid?: number }
}

const remedy =
  'Either make the folders searchable (chmod o+x on each parent folder), or run as an ordinary user, or set DATABASE_URL to use another server.'

/**
 * Returns the account that PostgreSQL must run as; undefined for the current user. Only root needs another account. A cluster
 * that belongs to an ordinary user stays that user's, so that a start with sudo doesn't lock them out of their own data.
 */
export function serverAccount(cluster: string): Account | undefined {
  const owner = fs.statSync(cluster, { throwIfNoEntry: false })
  const me = process.getuid!()
  if (me !== 0) {
    if (owner && owner.uid !== me) throw new Error(`${cluster} belongs to user id ${owner.uid}: start as that user or as root`)
    return undefined
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const found = lookUp('postgres') ?? lookUp('nobody')
  if (!found) throw new Error(`PostgreSQL does not run as root and there is no user postgres or nobody. ${remedy}`)
  return found
}

/**
 * Returns the command that starts a program as that account. `needs` are paths it must access (the program first). If a parent
 * folder is closed to it (a checkout below /root), it gets the single capability that bypasses file permissions. Access is tested
 * by trying, because mode bits don't show access lists, mount options or container limits.
 */
export function commandAs(account: Account | undefined, needs: string[], args: string[]): Command {
  const program = needs[0]!
  // The environment isn't inherited: PG* variables are meant for other servers, and the locale must be fixed.
  const base = { cwd: '/', env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } }
  if (!account) return { file: program, args, options: base }

  const probe = ['-c', 'for p do [ -r "$p" ] || exit 1; done; [ -x "$1" ]', 'sh', ...needs]
  const direct = { ...base, ...account }
  if (spawnSync('/bin/sh', probe, direct).status === 0) return { file: program, args, options: direct }

  // Without the securebit access(2) ignores the capability; exec drops every other capability of root.
  const setpriv = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  setpriv.push('--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup', '--')
  if (spawnSync('setpriv', [...setpriv, '/bin/sh', ...probe], base).status === 0) {
    return { file: 'setpriv', args: [...setpriv, program, ...args], options: base }
  }
  throw new Error(`PostgreSQL cannot run as user id ${account.uid}, it does not reach ${needs.join(' or ')}. ${remedy}`)
}

/**
 * Creates a folder with a short path (socket names are limited to about 100 characters) that only the server's account can enter.
 * This replaces a password.
 */
export function makeSocketDir(dataDir: string, account: Account | undefined): string {
  const dir = path.join(os.tmpdir(), `atrium-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`)
  if (!fs.existsSync(dir)) fs.mkdirSync(dir, { mode: 0o700 })
  const me = process.getuid!()
  const found = fs.lstatSync(dir)
  if (!found.isDirectory() || (found.uid !== me && found.uid !== account?.uid)) {
    throw new Error(`${dir} belongs to somebody else (user id ${found.uid}): remove it, or set TMPDIR to another folder.`)
  }
  fs.chmodSync(dir, 0o700)
  if (account) fs.lchownSync(dir, account.uid, account.gid)
  return dir
}

/**
 * Changes the owner of a cluster that root restored from a copy. The top folder comes last, so that an interrupted run is
 * repeated.
 */
export function giveAway(cluster: string, account: Account): void {
  const names = fs.readdirSync(cluster, { recursive: true }) as string[]
  for (const name of [...names, '']) fs.lchownSync(path.join(cluster, name), account.uid, account.gid)
}

function lookUp(name: string): Account | undefined {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString())
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}
