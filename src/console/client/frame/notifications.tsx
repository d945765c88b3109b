/** Bell with the unread count, and the list of notifications with their links. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { go } from '../addresses.ts'
import { call } from '../api.ts'
import { boot } from '../boot.ts'
import { arrivals, listen, type Notification, unread, useEvents } from '../events.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { changed, useAnswer } from '../screens/data.ts'
import { listAddress, recordAddress, screens } from '../screens/shape.ts'
import { sentence } from '../texts/labels.ts'
import { moment, t } from '../texts/texts.ts'

const isOpen = signal(false)
const SHOWN = '20'

/** Returns the address of a notification's screen; undefined where the user can't open it. */
function addressOf({ data: { route } }: Notification): string | undefined {
  const screen = screens.find(({ resource }) => resource === route.resource)
  if (!screen) return undefined
  if (route.action === 'show' && route.entity_id !== null) return recordAddress(screen, route.entity_id)
  const query = new URLSearchParams(route.filters).toString()
  return listAddress(screen) + (query && `?${query}`)
}

async function open(notification: Notification) {
  isOpen.value = false
  const to = addressOf(notification)
  if (to) setTimeout(() => go(to)) // after the dialog has restored the focus
  if (notification.read_at) return
  await call('post', `/notifications/${notification.id}/read`)
  unread.value = Math.max(0, unread.value - 1)
  changed()
}

async function readAll() {
  try {
    await call('post', '/notifications/read-all')
    unread.value = 0
  } catch (error) {
    tell((error as Error).message)
  }
  changed()
}

/** List of notifications; each marks itself as read and opens its target. */
export const News = ({ all }: { all: Notification[] }) => (
  <ul class="news">
    {all.map((one) => (
      <li key={one.id}>
        <button type="button" class="plain" onClick={() => void open(one).catch(() => {})}>
          <span class="said">
            <strong>{sentence(one.data.title)}</strong>
            {!one.read_at && <span class="tag">{t('unread')}</span>}
          </span>
          <span>{sentence(one.data.body)}</span>
          <small>{moment.format(new Date(one.created_at))}</small>
        </button>
      </li>
    ))}
  </ul>
)

/** Actions on all notifications. `leave` is called when a link leaves the list. */
export const NewsDeeds = ({ leave }: { leave?: () => void }) => (
  <>
    <a class="button" href={`${boot.realm!.path}/notifications/preferences`} onClick={leave}>
      {t('preferences')}
    </a>
    {unread.value > 0 && (
      <button type="button" onClick={() => void readAll()}>
        {t('readAll')}
      </button>
    )}
  </>
)

/** Subscribes while the page is open and shows new notifications. `resource`: of the current screen. */
export function Listening({ resource }: { resource: string | null | undefined }) {
  useEffect(
    () =>
      listen((notification) => {
        if (isOpen.value) return // it is visible there
        tell(sentence(notification.data.title), { label: t('open'), run: () => void open(notification).catch(() => {}) })
      }),
    [],
  )
  useEvents(resource, changed)
  return null
}

export const Bell = () => (
  <button
    class="plain only-icon bell"
    type="button"
    aria-haspopup="dialog"
    aria-label={unread.value ? t('notificationsUnread', { count: unread.value }) : t('notifications')}
    onClick={() => (isOpen.value = true)}
  >
    <Icon name="bell" />
    {unread.value > 0 && <span class="count">{unread.value > 99 ? '99+' : unread.value}</span>}
  </button>
)

export const Notifications = () => (isOpen.value ? <List /> : null)

function List() {
  const { answer, error, again } = useAnswer('/notifications', { per_page: SHOWN })
  const first = arrivals.value
  useEffect(() => {
    if (first) again()
  }, [first])
  const all = answer?.data as Notification[] | undefined
  return (
    <Dialog title={t('notifications')} kind="aside" close={() => (isOpen.value = false)}>
      <div class="dialog-body">
        {error !== undefined && !all && <Trouble error={error} again={again} />}
        {all?.length === 0 && <p class="quiet">{t('notificationsNone')}</p>}
        <News all={all ?? []} />
        <div class="dialog-foot">
          <NewsDeeds leave={() => (isOpen.value = false)} />
          <button type="button" class="primary" onClick={() => (isOpen.value = false)}>
            {t('close')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
