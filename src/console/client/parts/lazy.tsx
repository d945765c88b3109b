/** A screen whose script is fetched when it is first opened. */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { ScreenFrame } from './screen.tsx'
import { Trouble } from './trouble.tsx'

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>, titleOf: (props: P) => string) {
  return function Lazy(props: P) {
    const found = useSignal<{ component?: ComponentType<P>; error?: unknown }>({})
    const begin = () =>
      void load().then(
        (component) => (found.value = { component }),
        (error) => (found.value = { error }),
      )
    useEffect(begin, [])
    const { component: Found, error } = found.value
    if (Found) return <Found {...props} />
    return (
      <ScreenFrame title={titleOf(props)}>
        {error ? <Trouble error={error} again={begin} /> : <p class="quiet">{t('loading')}</p>}
      </ScreenFrame>
    )
  }
}
