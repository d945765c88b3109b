/** Where the page is, and how it goes elsewhere without being loaded again. */
import { signal } from '@preact/signals'
import { boot } from './boot.ts'

export const at = signal(new URL(location.href))
/** Counts what is a screen of its own: its heading takes the focus. */
export const visits = signal(0)

const isSameScreen = (from: URL, to: URL) => from.pathname === to.pathname

/** Where somebody went from the screen that they have come back to: the link that led there takes the focus. */
export let leftFor: string | undefined
const within = ({ pathname, search }: URL) => pathname + search

/** Goes to an address of the console. `replace`: as a refinement of the one before, which Back leaves out. */
export function go(to: string, { replace = false } = {}) {
  const url = new URL(to, location.href)
  const stays = isSameScreen(at.value, url)
  if (!stays && !replace) history.replaceState({ leftFor: within(url) }, '')
  history[replace ? 'replaceState' : 'pushState'](null, '', url)
  leftFor = undefined
  at.value = url
  if (!stays) arrive()
}

function arrive() {
  visits.value++
  scrollTo(0, 0)
}

addEventListener('popstate', ({ state }) => {
  const stays = isSameScreen(at.value, new URL(location.href))
  leftFor = (state as { leftFor?: string } | null)?.leftFor
  at.value = new URL(location.href)
  if (!stays) visits.value++
})

/** Links of the realm lead on within the page; with a modifier, to files and elsewhere, as the browser has it. */
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = (event.target as Element).closest?.('a[href]') as HTMLAnchorElement | null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  const { realm } = boot
  if (!realm || !`${link.pathname}/`.startsWith(`${realm.path}/`) || link.pathname.startsWith(`${realm.path}/api/`)) return
  event.preventDefault()
  go(link.href)
})

/** Where to go after signing in: an address of ours below the realm, whatever was asked for. */
export function safeNext(realmPath: string, asked: string | null): string {
  const start = `${realmPath}/`
  if (!asked || !`${asked}/`.startsWith(start)) return start
  const url = URL.parse(asked, location.origin)
  return url?.origin === location.origin && `${url.pathname}/`.startsWith(start) && !url.pathname.startsWith(`${start}api/`)
    ? url.pathname + url.search
    : start
}
