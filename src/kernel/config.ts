/** Declares every environment variable of Atrium: its schema, default, description and error messages. */
import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { assertApartFromCode, makePrivateFolder } from './folders.ts'
import { isNetwork } from './networks.ts'

const flag = z.enum(['true', 'false', '1', '0']).transform((v) => v === 'true' || v === '1')
const url = z.url({ protocol: /^https?$/ }).transform((v) => {
  let end = v.length
  while (v[end - 1] === '/') end--
  return v.slice(0, end)
})

const milliseconds = (standard: number) => z.coerce.number().int().min(0).max(3_600_000).default(standard)

/** Retention period in days, with a minimum, or `forever`. */
const kept = (least: number, standard: number | 'forever') =>
  z
    .union([z.literal('forever'), z.coerce.number().int().min(least).max(36_500)], {
      error: `must be a number of days, at least ${least}, or forever`,
    })
    .default(standard)

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
/** Fastify's `trustProxy` values. There is no `true`: with it every client could choose its own address. */
const proxies = z
  .string()
  .transform((text) => {
    if (/^(false|0)$/.test(text)) return false
    return /^\d+$/.test(text) ? Number(text) : text.split(',').map((network) => network.trim())
  })
  .refine(
    (trusted) =>
      trusted === false ||
      (typeof trusted === 'number' ? trusted <= 10 : trusted.every((one) => NAMED_NETWORKS.includes(one) || isNetwork(one))),
    'must be a number of proxies (at most 10) or a comma-separated list of networks',
  )

/** Returns the non-empty entries of a comma-separated list. */
const listed = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/** Comma-separated IP addresses of one version, in the notation that resolvers return. */
const addresses = (version: 4 | 6) =>
  z
    .string()
    .default('')
    .transform(listed)
    .refine((all) => all.every((one) => isIP(one) === version), `must be IPv${version} addresses, comma-separated`)
    .transform((all) => all.map((one) => (version === 6 ? new URL(`http://[${one}]`).hostname.slice(1, -1) : one)))

/** Number of processes. `auto` starts one for each core available to this process. */
const processes = z
  .string()
  .regex(/^([1-9]|[1-5]\d|6[0-4]|auto)$/, 'must be a number from 1 to 64, or auto')
  .transform((text) => (text === 'auto' ? Math.min(64, availableParallelism()) : Number(text)))

/** Key of a Google service account, as JSON or as the path of a file. Error messages never contain parts of the key. */
const serviceAccount = z
  .string()
  .transform((given, issues) => {
    try {
      return JSON.parse(given.trim().startsWith('{') ? given : readFileSync(given, 'utf8')) as unknown
    } catch {
      issues.addIssue({ code: 'custom', message: 'must be the JSON of a service account, or the path of a file that holds it' })
      return z.NEVER
    }
  })
  .pipe(
    z.object({
      project_id: z.string().regex(/^[\w.:-]{1,100}$/, 'must be the id of a project'),
      client_email: z.string().min(1),
      private_key: z.string().includes('PRIVATE KEY', 'must be a private key in PEM'),
      private_key_id: z.string().optional(),
      token_uri: url.default('https://oauth2.googleapis.com/token'),
    }),
  )

const jsonOfTexts = z
  .string()
  .transform((given, issues) => {
    try {
      return JSON.parse(given) as unknown
    } catch {
      issues.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(z.record(z.string(), z.string()))

const isKey = (text: string) => Buffer.from(text, 'base64').length === 32

/** Environment variables with their schemas, defaults and descriptions. */
export const variables = {
  PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe('Port to listen on; 0 picks a free one.'),
  HOST: z.string().default('localhost').describe('Address to listen on; 0.0.0.0 for every interface, behind a TLS proxy.'),
  WEB_CONCURRENCY: processes
    .default(1)
    .describe('Processes that share the port and the work of the command: a number, or auto for one a core.'),
  BASE_URL: url.optional().describe('Public address of the service, used in links. Default: http://localhost:<PORT>.'),
  APP_URL: url
    .optional()
    .describe(
      'Address of a front end of your own, which pages and mails link to: the task 7 is at APP_URL/tasks/7. Default: BASE_URL/app, which leads to the console.',
    ),
  PLATFORM_DOMAIN: z
    .string()
    .optional()
    .describe('Domain under which each workspace has its sub-domain. Default: the host of BASE_URL.'),
  SHORT_LINK_BASE_URL: url
    .optional()
    .describe('Address that short links begin with: a host of its own, or a path on the host of BASE_URL. Default: BASE_URL/r.'),
  DATA_DIR: z.string().default('./data').describe('Folder for the embedded database, uploaded files and the generated key.'),
  DATABASE_URL: z
    .string()
    .startsWith('postgres')
    .optional()
    .describe('PostgreSQL 15 or newer. Unset: the embedded PostgreSQL is started.'),
  DATABASE_DIRECT_URL: z
    .string()
    .startsWith('postgres')
    .optional()
    .describe('The same database without a pooler between, for messages between processes. Default: DATABASE_URL.'),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(500).default(16).describe('Connections a process may open.'),
  DATABASE_STATEMENT_TIMEOUT: milliseconds(30_000).describe('Milliseconds after which a statement of a request is given up.'),
  DATABASE_LOCK_TIMEOUT: milliseconds(10_000).describe(
    'Milliseconds that a statement waits for what another transaction has locked.',
  ),
  DATABASE_TRANSACTION_TIMEOUT: milliseconds(60_000).describe(
    'Milliseconds after which a transaction of a request that writes begins no further statement: a 503; 0: any.',
  ),
  DATABASE_IDLE_TIMEOUT: milliseconds(60_000).describe('Milliseconds after which a transaction that asks nothing is ended.'),
  DATABASE_CONNECTION_TIMEOUT: milliseconds(10_000).describe('Milliseconds that a request waits for a connection of the pool.'),
  DATABASE_PREPARED_STATEMENTS: flag
    .optional()
    .describe(
      'Keep prepared statements on connections. Default: on for the embedded database, off for DATABASE_URL (PgBouncer before 1.21 loses them).',
    ),
  APP_KEY: z
    .string()
    .refine(isKey, 'must be 32 random bytes in base64')
    .optional()
    .describe('Key that encrypts secrets and signs links: 32 random bytes in base64. Unset: generated into DATA_DIR/app.key.'),
  APP_KEY_PREVIOUS: z
    .string()
    .transform(listed)
    .refine((all) => all.every(isKey), 'must be keys as APP_KEY, comma-separated')
    .optional()
    .describe(
      'Other keys by which secrets and links are read, comma-separated: former ones, or the next. New ones are made by APP_KEY.',
    ),
  ADMIN_EMAIL: z
    .email()
    .transform((v) => v.toLowerCase())
    .optional()
    .describe('First platform superadmin, created at the first start.'),
  ADMIN_PASSWORD: z
    .string()
    .min(8)
    .max(200)
    .optional()
    .describe('Password of the first platform superadmin. Unset: a one-time set-up link is printed.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
    .optional()
    .describe(
      'Outgoing mail server, unless the settings of the platform name a provider. Unset: mail is kept in the e-mail log only.',
    ),
  SMTP_TLS: z
    .enum(['required', 'opportunistic', 'off'])
    .optional()
    .describe(
      'Encryption to SMTP_URL: required (by a certificate that holds), opportunistic (where the server can, whatever its certificate) or off. Default: opportunistic on this machine, else required.',
    ),
  MAIL_FROM: z
    .string()
    .default('no-reply@localhost')
    .describe('Sender of system mail, perhaps with a name. Settings of the platform, where set, take precedence.'),
  POSTMARK_API_URL: url.default('https://api.postmarkapp.com').describe('Address of Postmark.'),
  MAILGUN_API_URL: url.optional().describe('Address of Mailgun. Default: that of the region in the settings.'),
  SES_API_URL: url.optional().describe('Address of Amazon SES. Default: that of the region in the settings.'),
  SNS_URL: url
    .optional()
    .describe('Address from which certificates of Amazon SNS come instead of https://sns.<region>.amazonaws.com.'),
  ALLOW_INTERNAL_MAIL_HOSTS: flag
    .optional()
    .describe(
      "Users' mailboxes may be on this machine or in its network. Default: only where BASE_URL and HOST are loopback addresses.",
    ),
  S3_BUCKET: z.string().optional().describe('Keep files in this S3 bucket instead of DATA_DIR/files.'),
  S3_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  S3_ENDPOINT: url.optional().describe('Address of an S3-compatible server.'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('Access key of the bucket.'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret key of the bucket.'),
  PDF_PROCESSES: z.coerce.number().int().min(1).max(16).default(2).describe('Child processes that may draw PDFs at once.'),
  PDF_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(600)
    .default(20)
    .describe('CPU time that one PDF may take, in seconds; by the clock six times as much, and a minute at least.'),
  PDF_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(200)
    .max(65536)
    .default(768)
    .describe('Memory that a process which draws PDFs may take; it is ended above that.'),
  PDF_QUEUE: z.coerce.number().int().min(1).max(10_000).default(100).describe('PDFs that may wait to be drawn.'),
  PDF_QUEUE_PER_WORKSPACE: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .describe('PDFs of one workspace that may wait to be drawn.'),
  JOB_HEARTBEAT_SECONDS: z.coerce
    .number()
    .int()
    .min(10)
    .max(600)
    .default(30)
    .describe(
      'How often a worker shows that it still works on a job, in seconds; one that was killed is noticed within three times as long.',
    ),
  SOCIAL_ADS_API_URL: url.default('https://graph.facebook.com/v23.0').describe("Address of the ad platform's Graph API."),
  SOCIAL_ADS_APP_ID: z.string().optional().describe('Id of our app at the ad platform. Unset: social ads can not be connected.'),
  SOCIAL_ADS_APP_SECRET: z.string().optional().describe("Secret of that app, by which the platform's calls are signed."),
  SOCIAL_ADS_VERIFY_TOKEN: z
    .string()
    .optional()
    .describe('What the ad platform names when it verifies the address of our webhook.'),
  SERVER_IPV4: addresses(4).describe('Public IPv4 addresses of the service, to which branded domains lead, comma-separated.'),
  SERVER_IPV6: addresses(6).describe('The same for IPv6.'),
  CNAME_TARGET: z
    .string()
    .toLowerCase()
    .optional()
    .describe('Host to which a CNAME of a branded domain leads. Default: PLATFORM_DOMAIN.'),
  DNS_SERVER: z
    .string()
    .regex(/^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\])(:\d{1,5})?$/, 'must be an address with an optional port: 127.0.0.1:5353')
    .optional()
    .describe('DNS server that is asked about branded domains. Default: those of the machine.'),
  CHAT_LINK_BASE_URL: url
    .default('https://wa.me')
    .describe('Address of the chat app: the phone number of whoever is to be written to is put behind it.'),
  FCM_SERVICE_ACCOUNT: serviceAccount
    .optional()
    .describe(
      'Key of the Google service account that sends push messages: its JSON, or the path of a file. Unset: none are sent.',
    ),
  FCM_API_URL: url.default('https://fcm.googleapis.com').describe('Address of Firebase Cloud Messaging.'),
  FCM_TOKEN_URL: url.optional().describe('Where the service account gets its access tokens. Default: where its key says.'),
  FCM_WEB_CONFIG: jsonOfTexts
    .optional()
    .describe('What a browser must know to get push messages, as JSON: apiKey, appId, messagingSenderId, vapidKey. Not secret.'),
  KEEP_CLICKS_DAYS: kept(60, 400).describe(
    'Days that the click log of short links goes back, in whole months. Counts and analytics stay.',
  ),
  KEEP_MAIL_LOG_DAYS: kept(30, 730).describe('Days that mails stay in the e-mail log, with attachments and events.'),
  KEEP_GATEWAY_LOG_DAYS: kept(60, 400).describe('Days that payment gateways’ logs and the events of their providers are kept.'),
  KEEP_NOTIFICATIONS_DAYS: kept(7, 180).describe('Days that notifications are kept, read or not.'),
  KEEP_AUDIT_LOG_DAYS: kept(90, 'forever').describe('Days that audit logs go back, the platform’s and the workspaces’.'),
  KEEP_ACTIVITIES_DAYS: kept(400, 'forever').describe('Days that timelines of records go back.'),
  KEEP_EVENTS_DAYS: z.coerce
    .number()
    .int()
    .min(30)
    .max(365)
    .default(30)
    .describe('Days that the feeds of events go back: 30 are promised.'),
  KEEP_IDEMPOTENT_REPLIES_HOURS: z.coerce
    .number()
    .int()
    .min(24)
    .max(720)
    .default(24)
    .describe('Hours in which a request under the same Idempotency-Key gets the first reply: 24 are promised.'),
  REALTIME_SOCKETS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Realtime connections that a process holds at once.'),
  REALTIME_SOCKETS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('Realtime connections from one address that a process holds at once.'),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .transform(listed)
    .refine((all) => all.every(isNetwork), 'must be networks such as 10.0.0.0/8, comma-separated')
    .optional()
    .describe('Networks of your own to which webhooks may go, in plain text too; others must be public, and https.'),
  STRIPE_API_BASE: url.default('https://api.stripe.com').describe("Address of Stripe's API."),
  CORS_ORIGINS: z
    .string()
    .transform((text) => listed(text).map((one) => one.replace(/\/$/, '')))
    .refine(
      (all) => all.every((one) => one === '*' || (!one.includes('*') && URL.parse(one)?.origin === one)),
      'must be origins such as https://app.example.com, comma-separated, or *',
    )
    .optional()
    .describe(
      'Origins whose browser apps may call the API, comma-separated, or * for all. Default: this machine’s own, where BASE_URL is a loopback address; else none.',
    ),
  METRICS_TOKEN: z
    .string()
    .min(8)
    .optional()
    .describe('Bearer token for /metrics. Unset: only loopback may read it, and only where BASE_URL is a loopback address.'),
  TRUST_PROXY: proxies
    .default(false)
    .describe(
      'Whose X-Forwarded-For is believed: the number of proxies in front, or their networks (10.0.0.0/8, loopback), comma-separated.',
    ),
  REQUEST_TIMEOUT: milliseconds(120_000).describe('Milliseconds in which a whole request must have arrived; 0: any.'),
  HEADERS_TIMEOUT: milliseconds(20_000).describe("Milliseconds in which a request's headers must have arrived."),
  KEEP_ALIVE_TIMEOUT: milliseconds(65_000).describe(
    'Milliseconds that a connection stays open between requests; longer than the proxy in front keeps its own.',
  ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least level of log lines.'),
  LOG_SQL: flag.default(false).describe('Log each statement, without its values, and how long it took. For development.'),
  DEVELOPMENT: flag.default(false).describe('Show the console’s parts at /w/<slug>/_components. npm run dev sets it.'),
}

const shape = z.object(variables)
/** Configuration: the variables with computed defaults, and keys as bytes. */
export type Config = Omit<
  z.infer<typeof shape>,
  'BASE_URL' | 'APP_URL' | 'SHORT_LINK_BASE_URL' | 'PLATFORM_DOMAIN' | 'APP_KEY' | 'APP_KEY_PREVIOUS'
> & {
  BASE_URL: string
  APP_URL: string
  SHORT_LINK_BASE_URL: string
  PLATFORM_DOMAIN: string
  APP_KEY: Buffer
  APP_KEY_PREVIOUS: Buffer[]
}

/** Reads and validates the environment. Throws one error that lists each invalid variable with the expected value. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([key, value]) => key in variables && value !== ''))
  const parsed = shape.safeParse(given)
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The environment is not right:\n${wrong.join('\n')}\nSee docs/configuration.md.`)
  }
  const config = parsed.data
  const baseUrl = config.BASE_URL ?? `http://localhost:${config.PORT}`
  const shortLinkBaseUrl = config.SHORT_LINK_BASE_URL ?? `${baseUrl}/r`
  const { host, pathname } = new URL(shortLinkBaseUrl)
  if (pathname === '/' && host === new URL(baseUrl).host)
    throw new Error(
      'SHORT_LINK_BASE_URL needs a host of its own or a path, such as BASE_URL/r: everything else is below BASE_URL.',
    )
  const dataDir = resolve(config.DATA_DIR)
  assertApartFromCode(dataDir)
  return {
    ...config,
    DATA_DIR: dataDir,
    BASE_URL: baseUrl,
    APP_URL: config.APP_URL ?? `${baseUrl}/app`,
    SHORT_LINK_BASE_URL: shortLinkBaseUrl,
    PLATFORM_DOMAIN: config.PLATFORM_DOMAIN ?? new URL(baseUrl).hostname,
    APP_KEY: config.APP_KEY ? Buffer.from(config.APP_KEY, 'base64') : keptKey(dataDir),
    APP_KEY_PREVIOUS: (config.APP_KEY_PREVIOUS ?? []).map((key) => Buffer.from(key, 'base64')),
  }
}

/** Returns whether people use the console, which is the case unless `APP_URL` names another front end. */
export const isConsoleUsed = ({ APP_URL, BASE_URL }: Pick<Config, 'APP_URL' | 'BASE_URL'>) => APP_URL === `${BASE_URL}/app`

/** Free space required in the data folder, in bytes: the size of a new database plus some room for data. */
const ROOM = 100_000_000

/** Creates the data folder if it is missing. Throws an error with the reason if the folder can't hold data. */
export function makeDataDir(dataDir: string) {
  const refuse = (why: string) => new Error(`DATA_DIR: ${dataDir} can't hold Atrium's data: ${why}`)
  try {
    makePrivateFolder(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') throw refuse('it is, or is below, a file.')
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') throw refuse('this user may not write there.')
    throw refuse(message)
  }
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize < ROOM)
    throw refuse(`only ${Math.floor((bavail * bsize) / 1e6)} MB are left there, less than ${ROOM / 1e6}.`)
}

function keptKey(dataDir: string) {
  const file = join(dataDir, 'app.key')
  if (!existsSync(file)) {
    makeDataDir(dataDir)
    try {
      writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // another process created the file first
    }
    chmodSync(file, 0o600)
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
}
