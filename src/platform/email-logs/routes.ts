import { limiter } from '#kernel/http/limits.ts'
import { platform } from '#kernel/http/route.ts'
import { EmailLog, EmailLogDetail, emailLogs, resend, showEmailLog } from './email-logs.ts'

/** Six a minute by user. */
const emailLogResend = limiter({ name: 'email-log-resend', points: 6, seconds: 60, by: 'user' })

export default [
  platform.get('/', { allow: 'email-logs.list', query: emailLogs.query, page: EmailLog }, (ctx, { query }) =>
    emailLogs.page(ctx, query),
  ),
  platform.get('/:uuid', { allow: 'email-logs.read', reply: EmailLogDetail }, (ctx, { uuid }) => showEmailLog(ctx, uuid)),
  platform.post(
    '/:uuid/resend',
    { allow: 'email-logs.resend', limit: emailLogResend, reply: EmailLogDetail, message: 'The mail is on its way again.' },
    (ctx, { uuid }) => resend(ctx, uuid),
  ),
]
