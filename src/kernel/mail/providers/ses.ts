/** Amazon SES, API version 2, through Amazon's client library. The library is heavy and only loaded if SES is the provider. */
import { type MailProvider, MailRefused, needed, TIMEOUT_MS, UUID_TAG } from './provider.ts'
import { messageOf } from './smtp.ts'

export interface SesSettings {
  ses_region: string | null
  ses_access_key_id: string | null
  ses_secret_access_key: string | null
  ses_configuration_set: string | null
}

/** `endpoint` is for a substitute server. By default it follows from the region. */
export const ses = (endpoint: string | undefined, settings: SesSettings): MailProvider => ({
  name: 'ses',
  async send(mail, signal) {
    const region = needed(settings.ses_region, 'ses_region')
    const credentials = {
      accessKeyId: needed(settings.ses_access_key_id, 'ses_access_key_id'),
      secretAccessKey: needed(settings.ses_secret_access_key, 'ses_secret_access_key'),
    }
    const { default: nodemailer } = await import('nodemailer')
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2')
    const requestHandler = { connectionTimeout: 10_000, requestTimeout: TIMEOUT_MS, throwOnRequestTimeout: true }
    const sesClient = new SESv2Client({ region, endpoint, credentials, requestHandler, maxAttempts: 1 }) // the queue retries
    const end = () => sesClient.destroy()
    signal.addEventListener('abort', end, { once: true })
    try {
      const tags = { EmailTags: [{ Name: UUID_TAG, Value: mail.uuid }] }
      const { response } = await nodemailer.createTransport({ SES: { sesClient, SendEmailCommand } } as object).sendMail({
        ...messageOf(mail),
        ses: { ...tags, ConfigurationSetName: settings.ses_configuration_set ?? undefined },
      } as object)
      return { messageId: response || null, refused: [] } // message id in SES events
    } catch (error) {
      const { name, message } = error as Error
      throw new MailRefused(`Amazon SES refused the mail: ${name}: ${message}`)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  },
})
