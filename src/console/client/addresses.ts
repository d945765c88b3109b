/** Current address, and client-side navigation without a page load. */
import { signal } from '@preact/signals'
import { boot } from './boot.ts'

export const at = signal(new URL(location.href))
/** Counts navigations to another screen, whose heading then takes the focus. */
export const visits = signal(0)

const isSameScreen = (from: URL, to: URL) => from.pathname === to.pathname

/** Address that the user went to from this screen before they came back: its link takes the focus. */
export let leftFor: string | undefined
const within = ({ pathname, search }: URL) => pathname + search

/** Navigates to an address of the console. `replace`: replaces the history entry, so that Back skips it. */
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

/** Handles clicks on links within the realm. Clicks with a modifier, downloads and external links are left to the browser. */
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = (event.target as Element).closest?.('a[href]') as HTMLAnchorElement | null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  const { realm } = boot
  if (!realm || !`${link.pathname}/`.startsWith(`${realm.path}/`) || link.pathname.startsWith(`${realm.path}/api/`)) return
  event.preventDefault()
  go(link.href)
})

/** Returns the address after sign-in: `asked` if it is below the realm, or else the realm's start page. */
export function safeNext(realmPath: string, asked: string | null): string {
  const start = `${realmPath}/`
  if (!asked || !`${asked}/`.startsWith(start)) return start
  const url = URL.parse(asked, location.origin)
  return url?.origin === location.origin && `${url.pathname}/`.startsWith(start) && !url.pathname.startsWith(`${start}api/`)
    ? url.pathname + url.search
    : start
}
