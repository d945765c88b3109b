/** Queries with a cache: the last reply is shown at once, and replaced by a new one. */
import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api.ts'
import { boot } from '../boot.ts'

export interface Answer {
  data: any
  meta: any
  etag: string | undefined
}
type Query = Record<string, string>

const KEPT = 200
const kept = new Map<string, Answer>()
/** Counts changes; each one refetches every active query. */
export const changes = signal(0)
export function changed() {
  first.clear()
  changes.value++
}

function keep(key: string, answer: Answer) {
  kept.delete(key)
  kept.set(key, answer)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
}

/** Replies embedded in the page are used without a request while they are new. */
const first = new Set<string>()
const NEW_MS = 3000
for (const { asked, data, meta, etag } of boot.first ?? []) {
  keep(asked, { data, meta, etag })
  first.add(asked)
}
setTimeout(() => first.clear(), NEW_MS)

/** Returns the embedded reply of a request, once and while it is new. */
export const cameWith = (key: string): Answer | undefined => (first.delete(key) ? kept.get(key) : undefined)

const keyOf = (path: string, query: Query) => `${path}?${new URLSearchParams(query)}`
/** Returns the last reply. */
export const lastAnswer = (path: string, query: Query) => kept.get(keyOf(path, query))
/** Sends a single request for further data of a screen. */
export async function ask(path: string, query: Query, signal: AbortSignal): Promise<Answer> {
  const { data, meta, etag } = await call('get', path, { params: { query }, signal })
  const answer = { data, meta, etag }
  keep(keyOf(path, query), answer)
  return answer
}

export interface Shown {
  answer?: Answer | undefined
  error?: unknown
  /** From the cache, until the new reply has arrived. */
  isAged: boolean
  again: () => void
}

/** Returns the reply to a GET. `path` undefined: no request. */
export function useAnswer(path: string | undefined, query: Query = {}): Shown {
  const key = path && keyOf(path, query)
  const shown = useSignal<{ key?: string | undefined; answer?: Answer | undefined; error?: unknown; isAged: boolean }>({
    isAged: true,
  })
  const tries = useSignal(0)
  useEffect(() => {
    if (!path || !key) return
    const came = cameWith(key)
    if (came) {
      shown.value = { key, answer: came, isAged: false }
      return
    }
    const ending = new AbortController()
    shown.value = { key, answer: kept.get(key), isAged: true }
    ask(path, query, ending.signal).then(
      (answer) => (shown.value = { key, answer, isAged: false }),
      (error) => {
        if (!ending.signal.aborted) shown.value = { key, answer: kept.get(key), error, isAged: true }
      },
    )
    return () => ending.abort()
  }, [key, tries.value, changes.value])
  const now = shown.value.key === key ? shown.value : { answer: key === undefined ? undefined : kept.get(key), isAged: true }
  return { ...now, again: () => void tries.value++ }
}

/** Returns the reply to a GET for a form, which must start from current data and never from the cache. */
export function useFresh(path: string | undefined): Shown {
  const shown = useAnswer(path)
  const begun = useRef<string | undefined>(undefined)
  if (shown.answer && !shown.isAged) begun.current = path
  return begun.current === path ? shown : { ...shown, answer: undefined }
}
