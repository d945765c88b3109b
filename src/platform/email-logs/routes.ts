import { limiter } from '#kernel/http/limits.ts'
import { platform } from '#kernel/http/route.ts'
import { EmailLog, EmailLogDetail, emailLogs, readEmailLog, resend } from './email-logs.ts'

/** Six requests a minute per user. */
const emailLogResend = limiter({ name: 'email-log-resend', points: 6, seconds: 60, by: 'user' })

export default [
  platform.get('/', { allow: 'email-logs.list', query: emailLogs.query, page: EmailLog }, (ctx, { query }) =>
    emailLogs.page(ctx, query),
  ),
  // A writing transaction: access to a secret is audited.
  platform.get(
    '/:uuid',
    {
      allow: 'email-logs.read',
      description:
        'Answers a mail with its text, attachments and events. Reading one that holds a secret is written to the audit log.',
      reply: EmailLogDetail,
      writes: true,
    },
    (ctx, { uuid }) => readEmailLog(ctx, uuid),
  ),
  platform.post(
    '/:uuid/resend',
    {
      allow: 'email-logs.resend',
      limit: emailLogResend,
      reply: EmailLogDetail,
      message: 'The mail is on its way again.',
      description: 'Sends a mail once more, as it was, to the same people.',
    },
    (ctx, { uuid }) => resend(ctx, uuid),
  ),
]
