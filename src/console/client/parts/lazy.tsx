/** Lazily loaded screens and parts; once loaded they render immediately. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { ScreenFrame } from './screen.tsx'
import { Trouble } from './trouble.tsx'

type Fetched<P> = { component?: ComponentType<P>; error?: unknown }

/** Returns a hook that loads a component once, with retry after a failure. */
function fetchedOnce<P>(load: () => Promise<ComponentType<P>>) {
  let known: Fetched<P> = {}
  return function useFetched() {
    const found = useSignal(known)
    const begin = () =>
      void load().then(
        (component) => (found.value = known = { component }),
        (error) => (found.value = { error }),
      )
    useEffect(() => {
      if (!found.value.component) begin()
    }, [])
    return { ...found.value, begin }
  }
}

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>, titleOf: (props: P) => string) {
  const useFetched = fetchedOnce(load)
  return function Lazy(props: P) {
    const { component: Found, error, begin } = useFetched()
    if (Found) return <Found {...props} />
    return (
      <ScreenFrame title={titleOf(props)}>
        {error ? <Trouble error={error} again={begin} /> : <p class="quiet">{t('loading')}</p>}
      </ScreenFrame>
    )
  }
}

/** Lazy part of a screen; shows `waiting` until it has loaded. Renders nothing if loading fails. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, waiting: ComponentChildren) {
  const useFetched = fetchedOnce(load)
  return function LazyPart(props: P) {
    const { component: Found, error } = useFetched()
    return Found ? <Found {...props} /> : error ? null : waiting
  }
}
