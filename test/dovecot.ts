/** Debian's Dovecot for this run only: any user signs in with one password, over plain text and TLS. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { PASSWORD } from './mailboxes.ts'

const PROGRAM = '/usr/sbin/dovecot'

/** Returns why it can't run here; undefined: it can. */
export const noDovecot = () => {
  if (!existsSync(PROGRAM)) return 'needs dovecot-imapd, which .ci/run installs'
  return process.getuid?.() === 0 ? undefined : 'needs root, as Dovecot does'
}

export interface Dovecot {
  port: number
  countsSeconds: true
  tlsPort: number
  /** Its self-signed certificate for `localhost`. */
  certificate: string
  /** Adds messages to a mailbox, as a delivery does. */
  deliver(user: string, folder: string, messages: (string | Buffer)[]): void
  stop(): Promise<void>
}

export async function startDovecot(): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-dovecot-'))
  chmodSync(folder, 0o755)
  for (const name of ['run', 'mail', 'state']) mkdirSync(join(folder, name))
  execFileSync('chown', ['-R', 'nobody', join(folder, 'mail')])
  const [port, tlsPort] = [await freePort(), await freePort()]
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject],
    { stdio: 'ignore' },
  )
  const config = join(folder, 'dovecot.conf')
  writeFileSync(config, configuration({ folder, port, tlsPort, key, certificate }))
  const server: ChildProcess = spawn(PROGRAM, ['-F', '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100 || server.exitCode !== null) throw new Error('Dovecot does not start')
    await sleep(50)
  }
  let delivered = 0
  return {
    port,
    countsSeconds: true,
    tlsPort,
    certificate,
    deliver(user, name, messages) {
      const box = join(folder, 'mail', user, ...(name === 'INBOX' ? [] : [`.${name}`]))
      for (const part of ['cur', 'new', 'tmp']) mkdirSync(join(box, part), { recursive: true })
      for (const message of messages)
        writeFileSync(join(box, 'new', `1700000000.M${String(++delivered).padStart(8, '0')}.test`), message)
      execFileSync('chown', ['-R', 'nobody', join(folder, 'mail', user)])
    },
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (at: { folder: string; port: number; tlsPort: number; key: string; certificate: string }) => `
protocols = imap
listen = 127.0.0.1
base_dir = ${at.folder}/run
state_dir = ${at.folder}/state
log_path = ${at.folder}/log
default_internal_user = dovecot
default_login_user = dovenull
ssl = yes
ssl_cert = <${at.certificate}
ssl_key = <${at.key}
disable_plaintext_auth = no
mail_location = maildir:${at.folder}/mail/%u
mail_uid = nobody
mail_gid = nogroup
first_valid_uid = 1
mail_fsync = never
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${at.folder}/mail/%u
}
service imap-login {
  inet_listener imap {
    port = ${at.port}
  }
  inet_listener imaps {
    port = ${at.tlsPort}
    ssl = yes
  }
}
namespace inbox {
  inbox = yes
  mailbox Drafts {
    special_use = \\Drafts
    auto = create
  }
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
  mailbox Archive {
    special_use = \\Archive
    auto = create
  }
}
`

async function answers(port: number) {
  const { connect } = await import('node:net')
  return new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
