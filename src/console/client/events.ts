/**
 * Server events while a page is open. The frame refetches every `useAnswer` query of a screen after events of its records.
 * Components with other records or their own rows call `useEvents`. Only changed parts render again, so the focus stays.
 */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { boot } from './boot.ts'
import { told } from './screens/shape.ts'

export interface Occurred {
  /** Subjects of the events, as in `resource` of a screen. */
  resources: Set<string>
  /** False: events were dropped, and everything on the page must be refetched. */
  isComplete: boolean
}
export interface Notification {
  id: string
  data: {
    title: string
    body: string
    route: { resource: string; action: 'show' | 'list'; entity_id: number | null; filters?: Record<string, string> }
  }
  read_at: string | null
  created_at: string
}

const listeners = new Set<(occurred: Occurred) => void>()
export function occur(occurred: Occurred) {
  for (const listener of listeners) listener(occurred)
}

/** Calls `then` after any user's change to records of a type. */
export function useEvents(resource: string | null | undefined, then: () => void) {
  const latest = useRef(then)
  latest.current = then
  useEffect(() => {
    if (!resource) return
    const listener = ({ resources, isComplete }: Occurred) => {
      if (!isComplete || resources.has(resource)) latest.current()
    }
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [resource])
}

/** Number of unread notifications. */
export const unread = signal(told.unread_notifications ?? 0)
/** Counts notifications received since the page was opened: triggers a refetch of their list. */
export const arrivals = signal(0)

/** Connects the socket shortly after the page has loaded, for members of a workspace only. Without it the page still works. */
export function listen(onNotification: (notification: Notification) => void) {
  if (boot.me?.workspace)
    setTimeout(() => void import('./socket.ts').then(({ connect }) => connect(onNotification)).catch(() => {}), 500)
}
