import { workspace } from '#kernel/http/route.ts'
import { AllRead, markAllRead, markRead, Notification, notificationList, UnreadCount, unreadCount } from './notifications.ts'
import { ChangePreferences, changePreferences, Preferences, showPreferences } from './preferences.ts'
import { pushRoutes } from './push/routes.ts'
import { realtimeRoutes } from './realtime/routes.ts'

/** Everybody's are their own: none of these asks for a permission. */
export default [
  workspace.get('/notifications', { allow: 'signed-in', query: notificationList.query, page: Notification }, (ctx, { query }) =>
    notificationList.page(ctx, query),
  ),
  workspace.get('/notifications/unread-count', { allow: 'signed-in', reply: UnreadCount }, unreadCount),
  workspace.get('/notifications/preferences', { allow: 'signed-in', reply: Preferences }, showPreferences),
  workspace.put(
    '/notifications/preferences',
    { allow: 'signed-in', notImpersonating: true, body: ChangePreferences, reply: Preferences, message: 'Preferences changed.' },
    (ctx, { body }) => changePreferences(ctx, body),
  ),
  workspace.post(
    '/notifications/read-all',
    { allow: 'signed-in', reply: AllRead, message: 'All notifications read.' },
    markAllRead,
  ),
  workspace.post(
    '/notifications/:uuid/read',
    { allow: 'signed-in', reply: Notification, message: 'Notification read.' },
    (ctx, { uuid }) => markRead(ctx, uuid),
  ),
  ...pushRoutes,
  ...realtimeRoutes,
]
