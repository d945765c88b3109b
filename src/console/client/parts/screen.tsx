import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visits } from '../addresses.ts'
import { boot } from '../boot.ts'

/** A screen: one heading, which takes the focus when somebody arrives, and names the page. */
export function ScreenFrame({
  title,
  back,
  beside,
  tools,
  children,
}: {
  title: string
  back?: { label: string; to: string }
  /** Said with the title, such as a state. */
  beside?: ComponentChildren
  tools?: ComponentChildren
  children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const visit = visits.value
  useEffect(() => {
    document.title = `${title} · ${boot.me?.workspace?.name ?? boot.name}`
  }, [title])
  // The first arrival is the browser's own: it reads the page from its top.
  useEffect(() => {
    if (visit) heading.current?.focus({ preventScroll: true })
  }, [visit])
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
