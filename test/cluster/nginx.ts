/** Debian's nginx for this run only, with the configuration in docs/scaling.md. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PROGRAM = '/usr/sbin/nginx'
const PAGE = join(import.meta.dirname, '../../docs/scaling.md')

/** Reason why it can't run here; undefined: it can. */
export const noNginx = () =>
  existsSync(PROGRAM) ? undefined : 'needs nginx (apt-get install nginx-light), which .ci/run installs'

export interface Nginx {
  /** Returns the errors that it has logged. */
  errors(): string
  stop(): Promise<void>
}

/** Starts it in front of API processes on these ports. */
export async function startNginx({ port, apis }: { port: number; apis: number[] }): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-nginx-'))
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, around(folder, documented(port, apis)))
  const server = spawn(PROGRAM, ['-p', folder, '-c', config, '-e', join(folder, 'error.log')], { stdio: 'inherit', env: {} })
  const ended = once(server, 'close')
  const errors = () => readFileSync(join(folder, 'error.log'), 'utf8')
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100 || server.exitCode !== null) throw new Error(`nginx does not start\n${errors()}`)
    await sleep(50)
  }
  return {
    errors,
    async stop() {
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The page's configuration with other ports. */
function documented(port: number, apis: number[]) {
  const [, block = ''] = /^```nginx\n(.*?)^```/ms.exec(readFileSync(PAGE, 'utf8')) ?? []
  const places: [said: string, here: string][] = [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['127.0.0.1:3001', `127.0.0.1:${apis[0]}`],
    ['127.0.0.1:3002', `127.0.0.1:${apis[1]}`],
  ]
  for (const [said] of places) assert.ok(block.includes(said), `docs/scaling.md says no more: ${said}`)
  return places.reduce((text, [said, here]) => text.replace(said, here), block)
}

/** Replaces Debian's /etc/nginx/nginx.conf. Its workers run as the user who started it: nobody else can read the folder. */
const around = (folder: string, site: string) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${folder}/pid;
error_log ${folder}/error.log warn;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`).join('\n  ')}
${site}
}
`

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
