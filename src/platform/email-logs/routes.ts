import type { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { platform } from '#kernel/http/route.ts'
import { EmailLog, EmailLogDetail, emailLogs, resend, selectEmailLogs, showEmailLog } from './email-logs.ts'

/** Six a minute by user. */
const emailLogResend = limiter({ name: 'email-log-resend', points: 6, seconds: 60, by: 'user' })

export default [
  platform.get('/', { allow: 'email-logs.list', query: emailLogs.query, page: EmailLog }, async (ctx, { query }) => {
    const { rows, total } = await emailLogs.page(ctx, query, selectEmailLogs)
    return { rows: rows as z.input<typeof EmailLog>[], total }
  }),
  platform.get('/:uuid', { allow: 'email-logs.read', reply: EmailLogDetail }, (ctx, { uuid }) => showEmailLog(ctx, uuid)),
  platform.post(
    '/:uuid/resend',
    { allow: 'email-logs.resend', limit: emailLogResend, reply: EmailLogDetail, message: 'The mail is on its way again.' },
    (ctx, { uuid }) => resend(ctx, uuid),
  ),
]
