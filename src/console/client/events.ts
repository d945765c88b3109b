/**
 * What happens elsewhere while a page is open. The frame asks everything on a screen anew that is asked for by `useAnswer` when something happened to
 * records of that screen; what shows records of another kind, or keeps rows in another way, calls `useEvents`. Nothing is drawn anew but what has
 * changed, so the focus stays.
 */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { boot } from './boot.ts'
import { told } from './screens/shape.ts'

export interface Occurred {
  /** Subjects of what happened, as `resource` of a screen has them. */
  resources: Set<string>
  /** False: there was more, and everything shown has to be read anew. */
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

/** Calls `then` after something happened to records of a kind, by whomever. */
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

/** Of the notifications that aren't read. */
export const unread = signal(told.unread_notifications ?? 0)
/** Counts what came since the page was opened: the list of notifications is read anew. */
export const arrivals = signal(0)

/** Listens, a moment after the page is there; only a workspace's people are told something. Without it the page shows what it asks for. */
export function listen(onNotification: (notification: Notification) => void) {
  if (boot.me?.workspace)
    setTimeout(() => void import('./socket.ts').then(({ connect }) => connect(onNotification)).catch(() => {}), 500)
}
