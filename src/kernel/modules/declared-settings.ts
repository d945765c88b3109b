/** All settings of the platform, in their seven groups (SET-05). A secret is a text; a nullable setting defaults to null. */
import { z } from 'zod'
import { ACCENT } from '../values/contrast.ts'
import { choice, currency, email, timezone } from '../values/fields.ts'
import { locale } from '../values/locale.ts'

export const settingGroups = ['general', 'localization', 'mail', 'branding', 'security', 'maintenance', 'billing'] as const

/** Declaration of a platform setting. */
export interface PlatformSetting<S extends z.core.$ZodType = z.core.$ZodType> {
  group: (typeof settingGroups)[number]
  schema: S
  default: z.output<S>
  title: string
  /** Explanation below the setting, and after its title in the API documents. */
  hint?: string
  /** Encrypted at rest and never returned. Only the platform's transactions can read it. */
  secret?: true
  /** Not changed by the settings route, but by an upload or a webhook. */
  readOnly?: true
  /** Readable in workspaces' transactions, too; app.platform_setting has the same list. */
  told?: true
}

/** Description of a setting in the API documents. */
export const describedAs = ({ title, hint }: PlatformSetting) => (hint ? `${title}. ${hint}` : `${title}.`)

const short = () => z.string().trim().min(1, 'Must not be empty.').max(255, 'Must be at most 255 characters.')
const optional = () => z.string().trim().max(255, 'Must be at most 255 characters.').nullable()
const credential = () => z.string().min(1, 'Must not be empty.').max(1000, 'Must be at most 1000 characters.').nullable()
const path = () => z.string().max(255).nullable()
const flag = () => z.boolean('Must be true or false.')
const httpUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'Must be an http(s) address.' })
    .max(2000)
    .nullable()

const image = (title: string) =>
  ({ group: 'branding', schema: path(), default: null, title, readOnly: true, told: true }) as const
const secret = (title: string) => ({ group: 'mail', schema: credential(), default: null, title, secret: true }) as const

/** Events that mail providers report about a mail: deferred mails are retried, bounced and failed ones aren't. */
export const mailEvents = ['delivered', 'deferred', 'bounced', 'complained', 'failed', 'opened', 'clicked'] as const

const declare = <const S extends Record<string, PlatformSetting>>(settings: S) => settings

export const platformSettings = declare({
  // SET-06
  app_name: { group: 'general', schema: short().max(100), default: 'Atrium', title: 'Name of the service', told: true },
  company_name: {
    group: 'general',
    schema: short(),
    default: 'Atrium',
    title: 'Who runs it',
    hint: 'As it stands on invoices.',
    told: true,
  },
  timezone: {
    group: 'general',
    schema: timezone(),
    default: 'UTC',
    title: 'Timezone',
    hint: 'The platform’s, and that of new workspaces.',
  },
  locale: {
    group: 'general',
    schema: locale(),
    default: 'en',
    title: 'Language',
    hint: 'Of new workspaces.',
  },
  currency: {
    group: 'general',
    schema: currency(),
    default: 'USD',
    title: 'Currency',
    hint: 'The platform’s, and that of new workspaces.',
  },
  registration_enabled: { group: 'general', schema: flag(), default: true, title: 'Anybody may register a workspace' },
  founding_beta_enabled: {
    group: 'general',
    schema: flag(),
    default: true,
    title: 'Applications for the founding beta are taken',
  },
  founding_beta_apply_url: { group: 'general', schema: httpUrl(), default: null, title: 'Where to apply for the founding beta' },
  founding_beta_invite_ttl_days: {
    group: 'general',
    schema: z.int().min(1).max(365),
    default: 14,
    title: 'Days to use an invitation to the beta',
  },
  // SET-07
  date_format: {
    group: 'localization',
    schema: short().max(50),
    default: 'YYYY-MM-DD',
    title: 'How dates are written',
    told: true,
  },
  time_format: { group: 'localization', schema: short().max(50), default: 'HH:mm', title: 'How times are written', told: true },
  // SET-08
  mail_provider: {
    group: 'mail',
    schema: choice(['log', 'smtp', 'postmark', 'mailgun', 'ses']).nullable(),
    default: null,
    title: 'Who delivers mail',
    hint: 'Unset: the server of SMTP_URL in the environment; where there is none, mails stay in the log.',
  },
  mail_from_address: { group: 'mail', schema: email().nullable(), default: null, title: 'Sender address of system mail' },
  mail_from_name: { group: 'mail', schema: optional(), default: null, title: 'Sender name of system mail' },
  smtp_host: { group: 'mail', schema: optional(), default: null, title: 'SMTP server' },
  smtp_port: { group: 'mail', schema: z.int().min(1).max(65_535), default: 587, title: 'Port of the SMTP server' },
  smtp_encryption: {
    group: 'mail',
    schema: choice(['none', 'starttls', 'tls']),
    default: 'starttls',
    title: 'Encryption to the SMTP server',
  },
  smtp_username: { group: 'mail', schema: optional(), default: null, title: 'User name at the SMTP server' },
  smtp_password: secret('Password at the SMTP server'),
  postmark_token: secret('Postmark server token'),
  mailgun_domain: { group: 'mail', schema: optional(), default: null, title: 'Domain at Mailgun from which mail is sent' },
  mailgun_api_key: secret('API key of the Mailgun account'),
  mailgun_region: { group: 'mail', schema: choice(['us', 'eu']), default: 'us', title: 'Where the Mailgun account lives' },
  ses_region: { group: 'mail', schema: optional(), default: null, title: 'AWS region of SES' },
  ses_access_key_id: { group: 'mail', schema: optional(), default: null, title: 'Id of the AWS access key for SES' },
  ses_secret_access_key: secret('Secret of that AWS access key'),
  ses_configuration_set: {
    group: 'mail',
    schema: optional(),
    default: null,
    title: 'SES configuration set',
    hint: 'By it SES tells what became of mails.',
  },
  ses_topic_arn: { group: 'mail', schema: optional(), default: null, title: 'SNS topic by which SES tells events' },
  mail_webhook_secret: secret("Secret of the provider's webhooks"),
  mail_webhook_events: {
    group: 'mail',
    schema: z
      .array(choice(mailEvents))
      .max(mailEvents.length)
      .overwrite((events) => [...new Set(events)]),
    default: [...mailEvents],
    title: 'Events of mails that are kept',
  },
  // SET-09
  button_color: {
    group: 'branding',
    schema: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour such as #1f4f82.')
      .meta({ examples: ['#1f4f82'] }),
    default: ACCENT,
    title: 'Colour of buttons',
    told: true,
  },
  support_email: { group: 'branding', schema: email().nullable(), default: null, title: 'Where people find help', told: true },
  logo_path: image('Logo of the platform, on pages and mails'),
  favicon_path: image('Icon of browser tabs'),
  auth_image_login_path: image('Picture beside signing in'),
  auth_image_register_path: image('Picture beside registering'),
  auth_image_forgot_password_path: image('Picture beside asking for a new password'),
  auth_image_reset_password_path: image('Picture beside setting a password'),
  auth_image_email_verify_path: image('Picture beside verifying an address'),
  // SET-10
  session_lifetime_minutes: {
    group: 'security',
    schema: z.int().min(5).max(525_600),
    default: 10_080,
    title: 'Minutes that a session lasts',
    told: true,
  },
  password_min_length: {
    group: 'security',
    schema: z.int().min(8).max(128),
    default: 8,
    title: 'Least length of passwords',
    told: true,
  },
  password_require_special: {
    group: 'security',
    schema: flag(),
    default: false,
    title: 'Passwords need a special character',
    hint: 'One that is no letter and no digit.',
    told: true,
  },
  // SET-11
  maintenance_mode: { group: 'maintenance', schema: flag(), default: false, title: 'The workspace API is closed', told: true },
  maintenance_message: {
    group: 'maintenance',
    schema: z.string().trim().max(1000, 'Must be at most 1000 characters.').nullable(),
    default: null,
    title: 'What its users are told',
    told: true,
  },
  maintenance_eta: {
    group: 'maintenance',
    schema: z.iso
      .datetime({ offset: true, error: 'Must be an instant such as 2026-11-20T09:30:00Z.', abort: true })
      .overwrite((instant) => new Date(instant).toISOString())
      .nullable(),
    default: null,
    title: 'When it opens again',
    told: true,
  },
  // SET-12
  invoice_prefix: {
    group: 'billing',
    schema: z.string().trim().max(20, 'Must be at most 20 characters.'),
    default: 'INV-',
    title: "Prefix of the platform's invoice numbers",
  },
  proration_mode: {
    group: 'billing',
    schema: choice(['none', 'prorate']),
    default: 'prorate',
    title: 'How parts of a period are charged',
    hint: 'Prorate: charged and credited by days; none: not at all.',
  },
  default_payment_gateway: {
    group: 'billing',
    schema: z.string().max(50),
    default: 'manual',
    title: 'Gateway of new subscriptions',
  },
  trial_enabled: { group: 'billing', schema: flag(), default: false, title: 'Purchased modules begin with a trial of 14 days' },
  stripe_enabled: { group: 'billing', schema: flag(), default: false, title: 'Stripe can be used' },
  stripe_webhook_configured: {
    group: 'billing',
    schema: flag(),
    default: false,
    title: "Stripe's webhook has its secret",
    readOnly: true,
  },
})
