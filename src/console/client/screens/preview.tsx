/** Live preview of a form's document, next to the form. */
import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError, call } from '../api.ts'
import { t } from '../texts/texts.ts'
import { say } from './editor-texts.ts'
import type { Values } from './form-values.ts'
import type { Field, Row } from './shape.ts'

/** Long enough to combine a few keystrokes in a request, short enough to follow the typing. */
const PAUSE_MS = 120
/** For many pages the preview waits for a pause: rendering their pictures would delay keystrokes. */
const LONG_PAUSE_MS = 450
const FEW_PAGES = 2
/** Delay after a transient failure: too many requests, a busy renderer, no connection. */
const AGAIN_MS = 5000

interface Page {
  number: number
  svg: string
  url: string
}
interface Shown {
  count: number
  pages: Page[]
}

interface Props {
  path: string
  fields: Field[]
  values: Signal<Values>
  bodyOf: () => Row
}

/** Pictures of the pages for the body from `bodyOf`, updated when `values` change. Errors are shown, and the last pages stay. */
export function Preview({ path, fields, values, bodyOf }: Props) {
  const shown = useSignal<Shown | undefined>(undefined)
  const trouble = useSignal<string>('')
  const waits = useSignal(true)
  /** One request at a time; a further change is requested after it. */
  const asking = useRef({ ending: new AbortController(), isBusy: false, isAsked: false, last: '', again: 0 })

  const show = async ({ page_count, pages }: { page_count: number; pages: { number: number; svg: string }[] }) => {
    const before = shown.value?.pages ?? []
    const next = pages.map(({ number, svg }): Page => {
      const same = before.find((page) => page.number === number && page.svg === svg)
      return same ?? { number, svg, url: URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })) }
    })
    // The last page stays until the next one is decoded.
    await Promise.all(next.slice(0, FEW_PAGES).map(({ url }) => decoded(url)))
    if (asking.current.ending.signal.aborted) return letGo(next)
    shown.value = { count: page_count, pages: next }
    trouble.value = ''
    setTimeout(() => letGo(before.filter((page) => !shown.peek()?.pages.includes(page))), AGAIN_MS)
  }
  const fail = (error: unknown) => {
    const now = asking.current
    if (now.ending.signal.aborted) return
    const {
      fields: wrong = {},
      message,
      status = 0,
    } = error instanceof ApiError ? error : { message: String((error as Error).message) }
    const [labels, others] = [new Set<string>(), [] as string[]]
    for (const [path, said] of Object.entries(wrong)) {
      const label = labelOf(fields, path)
      if (label) labels.add(label)
      else others.push(...said)
    }
    trouble.value =
      labels.size && !others.length
        ? say('waits_for', { fields: [...labels].join(', ') })
        : say('not_drawn', { why: others.join(' ') || message })
    if (status && status !== 429 && status < 500) return
    now.last = ''
    clearTimeout(now.again)
    now.again = window.setTimeout(ask, AGAIN_MS)
  }
  const ask = () => {
    const now = asking.current
    if (now.isBusy) {
      now.isAsked = true
      return
    }
    const body = bodyOf()
    const said = JSON.stringify(body)
    if (said === now.last || now.ending.signal.aborted) {
      waits.value = false
      return
    }
    now.last = said
    now.isBusy = waits.value = true
    call('post', path, { body, signal: now.ending.signal })
      .then(({ data }) => show(data))
      .catch(fail)
      .finally(() => {
        now.isBusy = waits.value = false
        if (!now.isAsked) return
        now.isAsked = false
        ask()
      })
  }
  useEffect(() => {
    waits.value = true
    const pages = shown.peek()?.count ?? 0
    const timer = setTimeout(ask, pages > FEW_PAGES ? LONG_PAUSE_MS : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [values.value])
  useEffect(
    () => () => {
      asking.current.ending.abort()
      clearTimeout(asking.current.again)
      letGo(shown.value?.pages ?? [])
    },
    [],
  )

  const { count = 0, pages = [] } = shown.value ?? {}
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too
    <section class="preview" aria-label={say('preview')} aria-busy={waits.value} tabIndex={0}>
      {(trouble.value || !pages.length) && <p class="quiet">{trouble.value || say('drawing')}</p>}
      {pages.map(({ number, url }, n) => (
        <div key={number}>
          {n > 0 && number > pages[n - 1]!.number + 1 && (
            <p class="quiet">{say('left_out', { from: pages[n - 1]!.number + 1, to: number - 1 })}</p>
          )}
          <img
            src={url}
            loading={n < FEW_PAGES ? 'eager' : 'lazy'}
            alt={say('page', { n: number, count })}
            class={trouble.value ? 'aged' : undefined}
          />
        </div>
      ))}
    </section>
  )
}

/**
 * Returns the label of an error's field: `lines.1.quantity` is the quantity of the second line. Undefined for a field outside of
 * the form.
 */
function labelOf(fields: Field[], path: string): string | undefined {
  const [name, line, inner] = path.split('.')
  const field = fields.find((one) => one.name === name)
  const within = inner && field?.fields?.find((one) => one.name === inner)
  return within ? `${t('line', { n: Number(line) + 1 })}, ${within.label}` : field?.label
}

function letGo(pages: Page[]) {
  for (const { url } of pages) URL.revokeObjectURL(url)
}

async function decoded(url: string) {
  const image = new Image()
  image.src = url
  await image.decode().catch(() => {}) // shown undecoded
}
