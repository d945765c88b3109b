import { limiter } from '#kernel/http/limits.ts'
import { platform } from '#kernel/http/route.ts'
import { EmailLog, EmailLogDetail, emailLogs, readEmailLog, resend } from './email-logs.ts'

/** Six a minute by user. */
const emailLogResend = limiter({ name: 'email-log-resend', points: 6, seconds: 60, by: 'user' })

export default [
  platform.get('/', { allow: 'email-logs.list', query: emailLogs.query, page: EmailLog }, (ctx, { query }) =>
    emailLogs.page(ctx, query),
  ),
  // It writes: the reading of a secret is audited.
  platform.get('/:uuid', { allow: 'email-logs.read', reply: EmailLogDetail, writes: true }, (ctx, { uuid }) =>
    readEmailLog(ctx, uuid),
  ),
  platform.post(
    '/:uuid/resend',
    { allow: 'email-logs.resend', limit: emailLogResend, reply: EmailLogDetail, message: 'The mail is on its way again.' },
    (ctx, { uuid }) => resend(ctx, uuid),
  ),
]
