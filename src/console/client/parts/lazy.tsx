/** Screens, and parts of them, whose scripts are fetched when they are first shown. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
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

/** A part of a screen; `waiting` stands in its place until it is there. Without it the screen does without. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, waiting: ComponentChildren) {
  return function LazyPart(props: P) {
    const found = useSignal<ComponentType<P> | undefined>(undefined)
    const failed = useSignal(false)
    useEffect(
      () =>
        void load().then(
          (component) => (found.value = component),
          () => (failed.value = true),
        ),
      [],
    )
    const Found = found.value
    return Found ? <Found {...props} /> : failed.value ? null : waiting
  }
}
