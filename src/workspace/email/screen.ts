import { defineScreens } from '#kernel/modules/screens.ts'

/**
 * Returns the page's next request: the mailboxes, then the messages of the place in the address. Must match `placeIn` and
 * `useList` in the folder `screen`.
 */
function first(address: URLSearchParams, [told, listed]: readonly any[]): string | undefined {
  if (listed) return undefined
  if (!told) return '/email/mailboxes?'
  const named = (name: string) => (one: { uuid: string }) => one.uuid === address.get(name)
  const mailboxes = told.mailboxes as { uuid: string; is_default: boolean; folders: any[]; labels: any[] }[]
  const mailbox =
    mailboxes.find((one) => one.folders.some(named('folder')) || one.labels.some(named('label')) || named('account')(one)) ??
    mailboxes.find(({ is_default }) => is_default) ??
    mailboxes[0]
  if (!mailbox || address.get('q')) return undefined
  const label = mailbox.labels.find(named('label'))
  const folder =
    mailbox.folders.find(named('folder')) ?? mailbox.folders.find(({ type }) => type === 'inbox') ?? mailbox.folders[0]
  const place = label ? `labels/${label.uuid}` : folder && `folders/${folder.uuid}`
  const unread = address.get('unread') === '1' ? 'is_read=false&' : ''
  return place && `/email/${place}/messages?${unread}per_page=50`
}

const inbox = { title: 'Inbox', icon: 'mail', allow: ['email.view'], drawn: 'inbox', first }

export default defineScreens({}, { inbox })
