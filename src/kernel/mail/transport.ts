/**
 * Selects the mail transport: the provider in the platform's settings (SET-08), else the server of `SMTP_URL`, else the log only.
 */
import addressparser from 'nodemailer/lib/addressparser'
import { type BaseCtx, inPublic, originOf, type Services } from '../context.ts'
import { readPlatformSettings } from '../modules/platform-settings.ts'
import { mailgun, mailgunBases } from './providers/mailgun.ts'
import { postmark } from './providers/postmark.ts'
import {
  type Address,
  type MailProvider,
  MailRefused,
  type Outgoing,
  RecipientsRefused,
  type Refusal,
  type Sent,
} from './providers/provider.ts'
import { ses } from './providers/ses.ts'
import { smtp, smtpByUrl } from './providers/smtp.ts'
import { MASK } from './sealed.ts'

const secrets = ['smtp_password', 'postmark_token', 'mailgun_api_key', 'ses_secret_access_key'] as const
const keys = [
  ...secrets,
  'app_name',
  'mail_provider',
  'mail_from_address',
  'mail_from_name',
  'smtp_host',
  'smtp_port',
  'smtp_encryption',
  'smtp_username',
  'mailgun_domain',
  'mailgun_region',
  'ses_region',
  'ses_access_key_id',
  'ses_configuration_set',
] as const

const readMailSettings = (ctx: BaseCtx) => readPlatformSettings(ctx, keys)
type MailSettings = Awaited<ReturnType<typeof readMailSettings>>

/** Mail without a sender, which follows from the settings. `fromName` overrides the display name. */
export type Letter = Omit<Outgoing, 'from'> & { fromName: string | null }

/** Configured way to send mails. */
export interface Transport {
  /** `log` stores mails and sends none. */
  name: MailProvider['name'] | 'log'
  /**
   * Sends a mail. Throws a MailRefused or RecipientsRefused without any secret in it, also when the signal is aborted. Does
   * nothing for `log`.
   */
  send(mail: Letter, signal: AbortSignal): Promise<Sent>
}

/** Returns the current transport. Changed settings apply to the next mail in every process. */
export async function transportOf(services: Services): Promise<Transport> {
  const settings = await inPublic(originOf(services), 'read', readMailSettings)
  const { SMTP_URL } = services.config
  const provider = providerOf(settings, services)
  if (!provider) return { name: 'log', send: async () => ({ messageId: null, refused: [] }) }
  const hidden = [...secrets.map((key) => settings[key]), ...passwordOf(SMTP_URL)]
  return {
    name: provider.name,
    async send({ fromName, ...mail }, signal) {
      // Providers may repeat request data in their replies.
      const told = (refusals: Refusal[]) => refusals.map((one) => ({ ...one, reason: without(hidden, one.reason) }))
      const sender = senderOf(settings, services)
      const from = { ...sender, name: fromName || sender.name }
      try {
        const { messageId, refused } = await inTime(sendBy(provider, { ...mail, from }, signal), signal)
        return { messageId, refused: told(refused) }
      } catch (error) {
        const message = without(hidden, (error as Error).message)
        if (error instanceof RecipientsRefused) throw new RecipientsRefused(message, told(error.refusals))
        throw new MailRefused(message, error instanceof MailRefused && error.isOfRecipients)
      }
    },
  }
}

/**
 * Sends a mail. Only SMTP can deliver to some of the named recipients; other providers send each of these a separate mail that
 * names no one else.
 */
async function sendBy(provider: MailProvider, mail: Outgoing, signal: AbortSignal): Promise<Sent> {
  if (!mail.only || provider.name === 'smtp') return provider.send(mail, signal)
  for (const one of mail.only) await provider.send({ ...mail, to: [one], cc: [], bcc: [], only: null }, signal)
  return { messageId: null, refused: [] }
}

/** Bounds the time regardless of how a provider's library handles the signal. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const end = () => reject(new Error('It took too long.'))
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, over])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Returns whether mails are only stored in the log. */
export async function keepsMails(ctx: BaseCtx): Promise<boolean> {
  return isKeptBy(await readPlatformSettings(ctx, ['mail_provider']), ctx.services)
}

/** The same, from settings already read. */
export const isKeptBy = (settings: Pick<MailSettings, 'mail_provider'>, { config }: Pick<Services, 'config'>): boolean =>
  chosenOf(settings, config) === 'log'

const chosenOf = ({ mail_provider }: Pick<MailSettings, 'mail_provider'>, { SMTP_URL }: Services['config']) =>
  mail_provider ?? (SMTP_URL ? 'smtp' : 'log')

function providerOf(settings: MailSettings, { config }: Services): MailProvider | undefined {
  const { mail_provider, mailgun_region, smtp_host } = settings
  switch (chosenOf(settings, config)) {
    case 'smtp':
      if (config.SMTP_URL && (!mail_provider || !smtp_host)) return smtpByUrl(config.SMTP_URL, config.SMTP_TLS)
      return smtp(settings)
    case 'postmark':
      return postmark(config.POSTMARK_API_URL, settings)
    case 'mailgun':
      return mailgun(config.MAILGUN_API_URL ?? mailgunBases[mailgun_region], settings)
    case 'ses':
      return ses(config.SES_API_URL, settings)
    default:
      return undefined
  }
}

/** Returns the sender of every mail: name and address of the settings, else of MAIL_FROM, else the service's name. */
function senderOf(settings: MailSettings, { config }: Services): Address {
  const [given] = addressparser(config.MAIL_FROM, { flatten: true })
  const name = settings.mail_from_name || given?.name || settings.app_name
  return { name: name.replace(/\p{Cc}+/gu, ' '), address: settings.mail_from_address ?? given?.address ?? '' }
}

const passwordOf = (url = '') => [decodeURIComponent(/^\w+:\/\/[^@/:]*:([^@/]*)@/.exec(url)?.[1] ?? '')]

/** Minimum length of a masked secret. Shorter ones would mask parts of words. */
const MIN_LENGTH = 6

/**
 * Removes these secrets from a text, plain or in the base64 of an Authorization header, and U+0000, which PostgreSQL can't store.
 */
const without = (hidden: (string | null)[], text: string) =>
  hidden
    .filter((secret) => secret !== null && secret.length >= MIN_LENGTH)
    .flatMap((secret) => [secret!, Buffer.from(secret!).toString('base64'), Buffer.from(`api:${secret}`).toString('base64')])
    .reduce((rest, secret) => rest.replaceAll(secret, MASK), text.replaceAll('\0', ' '))
