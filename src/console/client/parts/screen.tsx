import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { leftFor, visits } from '../addresses.ts'
import { boot } from '../boot.ts'

const linkTo = (address: string | undefined) =>
  address === undefined ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(address)}"]`)

/** Focuses the link that the user left by, once it is rendered: rows may arrive later than the screen. */
export function findAgain() {
  if (document.activeElement?.matches('main h1')) linkTo(leftFor)?.focus()
}

/** Screen frame: a single heading, which names the page and takes the focus on navigation. */
export function ScreenFrame({
  title,
  back,
  beside,
  tools,
  children,
}: {
  title: string
  back?: { label: string; to: string }
  /** Shown with the title, such as a status. */
  beside?: ComponentChildren
  tools?: ComponentChildren
  children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const visit = visits.value
  useEffect(() => {
    document.title = `${title} · ${boot.me?.workspace?.name ?? boot.name}`
  }, [title])
  // Skipped for the page load: there the browser reads from the top.
  useEffect(() => {
    if (visit) heading.current?.focus({ preventScroll: true })
  }, [visit])
  useEffect(findAgain)
  return (
    <main class="screen" id="main">
      <div class="head">
        {back && (
          <a class="back" href={back.to}>
            {back.label}
          </a>
        )}
        <div class="named">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {beside}
        </div>
        {tools && <div class="tools">{tools}</div>}
      </div>
      {children}
    </main>
  )
}
