/**
 * Drag and drop of `data-key` elements to `data-column` elements, by mouse, pen or finger. A finger picks up after a rest, so
 * that the page still scrolls otherwise. The box scrolls near its edges. Buttons inside stay clickable; one with `data-grip` can
 * also be dragged.
 */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Dragging {
  /** Returns whether it may be picked up now. */
  may: (key: string) => boolean
  lift: (key: string | undefined) => void
  /** Column under the pointer; undefined: none. */
  over: (column: string | undefined) => void
  drop: (key: string, column: string) => void
}

/** Pixels that a mouse must move to drag, and milliseconds that a finger must rest. */
const MEANT_PX = 5
const REST_MS = 300
const EDGE_PX = 40
const STEP_PX = 14

interface Held {
  key: string
  card: HTMLElement
  pointer: number
  from: { x: number; y: number; left: number; top: number }
  at: { x: number; y: number }
  isLifted: boolean
  timer?: ReturnType<typeof setTimeout>
}

export function useDragging(box: RefObject<HTMLElement | null>, dragging: Dragging) {
  const now = useRef(dragging)
  now.current = dragging
  useEffect(() => {
    const within = box.current!
    let held: Held | undefined
    let frame = 0
    const columnAt = ({ x, y }: Held['at']) => {
      const found = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-column]')
      return found && within.contains(found) ? found.dataset.column : undefined
    }
    const follow = () => {
      if (!held) return
      const { at, from, card } = held
      card.style.translate = `${at.x - from.x + within.scrollLeft - from.left}px ${at.y - from.y + scrollY - from.top}px`
      now.current.over(columnAt(at))
    }
    const scrollAlong = () => {
      frame = 0
      if (!held?.isLifted) return
      const { left, right } = within.getBoundingClientRect()
      const { x, y } = held.at
      within.scrollLeft += x < left + EDGE_PX ? -STEP_PX : x > right - EDGE_PX ? STEP_PX : 0
      if (y < EDGE_PX || y > innerHeight - EDGE_PX) scrollBy(0, y < EDGE_PX ? -STEP_PX : STEP_PX)
      follow()
      frame = requestAnimationFrame(scrollAlong)
    }
    const lift = () => {
      if (!held || !now.current.may(held.key)) return end()
      held.isLifted = true
      held.card.classList.add('lifted')
      getSelection()?.removeAllRanges()
      now.current.lift(held.key)
      frame = requestAnimationFrame(scrollAlong)
      follow()
    }
    const end = () => {
      if (!held) return
      clearTimeout(held.timer)
      cancelAnimationFrame(frame)
      held.card.classList.remove('lifted')
      held.card.style.translate = ''
      const { isLifted } = held
      held = undefined
      if (!isLifted) return
      now.current.lift(undefined)
      // Suppresses the click at the end of a drag.
      addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => removeEventListener('click', swallow, { capture: true }))
    }
    const swallow = (event: Event) => {
      event.preventDefault()
      event.stopPropagation()
    }
    const down = (event: PointerEvent) => {
      const target = event.target as Element
      const card = target.closest<HTMLElement>('[data-key]')
      if (!card || event.button || !event.isPrimary || target.closest('button:not([data-grip]), input, select, [role=menu]'))
        return
      const { clientX: x, clientY: y, pointerId: pointer } = event
      held = {
        ...{ key: card.dataset.key!, card, pointer, at: { x, y }, isLifted: false },
        from: { x, y, left: within.scrollLeft, top: scrollY },
      }
      if (event.pointerType === 'touch') held.timer = setTimeout(lift, REST_MS)
    }
    const move = (event: PointerEvent) => {
      if (!held || event.pointerId !== held.pointer) return
      held.at = { x: event.clientX, y: event.clientY }
      if (held.isLifted) return follow()
      if (Math.hypot(held.at.x - held.from.x, held.at.y - held.from.y) < MEANT_PX) return
      if (held.timer) end()
      else lift()
    }
    const up = (event: PointerEvent) => {
      if (!held || event.pointerId !== held.pointer) return
      const { key, isLifted } = held
      held.card.style.pointerEvents = 'none'
      const column = isLifted ? columnAt({ x: event.clientX, y: event.clientY }) : undefined
      held.card.style.pointerEvents = ''
      end()
      if (column !== undefined) now.current.drop(key, column)
    }
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !held?.isLifted) return
      event.preventDefault()
      event.stopPropagation()
      end()
    }
    const still = (event: Event) => held?.isLifted && event.preventDefault()
    const menu = (event: Event) => held?.timer && event.preventDefault()
    const drag = (event: Event) => event.preventDefault() // prevents the native dragging of a link
    const heard: [target: EventTarget, type: string, then: (event: any) => void][] = [
      [within, 'pointerdown', down],
      [within, 'dragstart', drag],
      [within, 'touchmove', still],
      [within, 'contextmenu', menu],
      [window, 'pointermove', move],
      [window, 'pointerup', up],
      [window, 'pointercancel', end],
      [window, 'keydown', leave],
    ]
    for (const [target, type, then] of heard) target.addEventListener(type, then, { passive: false, capture: type === 'keydown' })
    return () => {
      end()
      for (const [target, type, then] of heard) target.removeEventListener(type, then, { capture: type === 'keydown' })
    }
  }, [])
}
