/** Editor of lines: typing, pasting, reordering, copying and removing, by keyboard and mouse. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon, type IconName } from '../parts/icon.tsx'
import { tell } from '../parts/toasts.tsx'
import { t } from '../texts/texts.ts'
import { say } from './editor-texts.ts'
import { type InputProps, isAsked, isEmpty, ORDER, type Values } from './form-values.ts'
import { cellsOf, isBlankLine, isUsual, linesOf, newLine, withChosen } from './lines.ts'
import type { Field, Row } from './shape.ts'
import { isNumeric, textFor } from './values.tsx'

/** Lines of a document with their fields. `input` renders the input of one field. */
export function LinesInput({
  field,
  value,
  errors,
  at,
  row,
  reckoned,
  set,
  input: Input,
}: InputProps & { input: ComponentType<InputProps> }) {
  const lines = Array.isArray(value) ? (value as Values[]) : []
  const box = useRef<HTMLFieldSetElement>(null)
  const most = field.max_length ?? Infinity
  /** Stable key of a line despite moves and edits: the result of a pending lookup goes to its own line, or is dropped. */
  const keys = useRef(new WeakMap<Values, number>())
  const nextKey = useRef(0)
  const keyOf = (line: Values) => {
    const key = keys.current.get(line) ?? nextKey.current++
    keys.current.set(line, key)
    return key
  }
  /** A line keeps its former total until a new one arrives. */
  const instead = (line: Values, next: Values) => {
    const sum = reckoned?.peek().get(line)
    if (sum) reckoned!.peek().set(next, sum)
    return next
  }
  const change = (key: number, one: Field, to: unknown, chosen: Row | undefined) => {
    const n = lines.findIndex((line) => keyOf(line) === key)
    if (n < 0) return
    const next = instead(lines[n]!, withChosen(lines[n]!, one, to, chosen))
    keys.current.set(next, key)
    set(lines.with(n, next))
  }
  const rowAt = (n: number) => box.current?.querySelectorAll('.rows > .row')[n]
  const controlsOf = (n: number) => [
    ...(rowAt(n)?.querySelectorAll<HTMLElement>('input, select, textarea, button, summary') ?? []),
  ]
  const focusAt = (n: number, what = 'input, textarea, select') =>
    setTimeout(() => rowAt(n)?.querySelector<HTMLElement>(what)?.focus())
  const add = (what?: string) => {
    if (lines.length >= most) return
    set([...lines, newLine(field.fields)])
    focusAt(lines.length, what)
  }
  /** Moves a line, together with the focus. */
  const move = (n: number, to: number, focused: Element | null) => {
    if (to < 0 || to >= lines.length || to === n) return
    const place = controlsOf(n).indexOf(focused as HTMLElement)
    set(lines.toSpliced(n, 1).toSpliced(to, 0, lines[n]!))
    setTimeout(() => controlsOf(to)[place]?.focus())
  }
  const copy = (n: number) => {
    if (lines.length >= most) return
    set(lines.toSpliced(n + 1, 0, instead(lines[n]!, { ...lines[n] })))
    focusAt(n + 1)
  }
  const remove = (n: number) => {
    set(lines.toSpliced(n, 1))
    if (lines.length > 1) focusAt(Math.min(n, lines.length - 2))
    else setTimeout(() => box.current?.querySelector<HTMLElement>('.add')?.focus())
    if (isBlankLine(lines[n]!, field.fields)) return
    tell(say('removed', { n: n + 1 }), { label: t('undo'), run: () => now.current.bring(n, lines[n]!), isHere: true })
  }
  const bring = (n: number, line: Values) => {
    set(lines.toSpliced(n, 0, line))
    focusAt(Math.min(n, lines.length))
  }
  const walk = (event: KeyboardEvent, n: number) => {
    const target = event.target as HTMLElement
    const { key, altKey, shiftKey } = event
    if (event.defaultPrevented || event.isComposing) return
    if (key === 'Enter' && target.tagName === 'INPUT' && !event.ctrlKey && !event.metaKey) {
      const same = `[name="${(target as HTMLInputElement).name}"]`
      const what = same === '[name=""]' ? undefined : same
      if (n < lines.length - 1) focusAt(n + 1, what)
      else add(what)
    } else if (altKey && key === 'ArrowDown' && shiftKey) copy(n)
    else if (altKey && key === 'ArrowDown') move(n, n + 1, target)
    else if (altKey && key === 'ArrowUp') move(n, n - 1, target)
    else if (altKey && key === 'Delete') remove(n)
    else return
    event.preventDefault()
  }
  const paste = (event: ClipboardEvent, n: number) => {
    const { tagName, name } = event.target as HTMLInputElement
    const into = tagName === 'INPUT' ? asked.find((one) => one.name === name) : undefined // multi-line inputs take the text as it is
    const cells = event.clipboardData && cellsOf(event.clipboardData.getData('text/plain'))
    if (!into || !cells?.length) return
    event.preventDefault()
    const pasted = linesOf(cells, asked, into).map((line) => ({ ...newLine(field.fields), ...line }))
    const isFirst = isBlankLine(lines[n]!, field.fields)
    const room = Math.max(0, most - lines.length + Number(isFirst))
    const taken = pasted.slice(0, room)
    set(lines.toSpliced(isFirst ? n : n + 1, Number(isFirst), ...taken))
    focusAt(n + taken.length - Number(isFirst))
    const left = pasted.length - taken.length
    tell(left ? say('pasted_some', { n: taken.length, left, most }) : say('pasted', { n: taken.length }), {
      label: t('undo'),
      run: () => set(lines),
      isHere: true,
    })
  }
  const fields = (field.fields ?? []).filter((one) => one.name !== ORDER && isAsked(one))
  const asked = fields.toSorted((a, b) => Number(Boolean(b.fills)) - Number(Boolean(a.fills)))
  const told = asked.filter((one) => isUsual(one, lines))
  const usual = told.length ? told : asked
  const rare = asked.filter((one) => !usual.includes(one))
  const shownLines: Row[] = Array.isArray(row?.[field.name]) ? row[field.name] : []
  const sums = reckoned?.value
  // Unchanged lines don't render again: among hundreds, a keystroke changes one. Event handlers read the current functions from
  // this ref.
  const now = useRef({ change, move, copy, remove, bring, walk, paste })
  now.current = { change, move, copy, remove, bring, walk, paste }
  const kept = useRef(new WeakMap<Values, { from: unknown[]; made: JSX.Element }>())
  const drawn = (line: Values, n: number, draw: () => JSX.Element) => {
    const sum = sums?.get(line)
    const from = [n, lines.length, usual.length, errors, row, sum?.[LINE_SUM.name], sum?.currency]
    const before = kept.current.get(line)
    if (before?.from.every((one, m) => one === from[m])) return before.made
    const made = draw()
    kept.current.set(line, { from, made })
    return made
  }
  const inputOf = (line: Values, n: number) => (one: Field) => (
    <Input
      key={one.name}
      field={one.kind === 'long_text' ? { ...one, kind: 'text' } : one}
      value={line[one.name]}
      errors={errors}
      at={`${at}.${n}.${one.name}`}
      row={shownLines[n]}
      set={(to, chosen) => now.current.change(keyOf(line), one, to, chosen)}
    />
  )
  const dragging = useDragging((from, to) => now.current.move(from, to, null))
  return (
    <fieldset class="whole lines" ref={box} aria-describedby={errors[at] ? `${at}-errors` : undefined}>
      <legend>{field.label}</legend>
      {errors[at] && (
        <p class="error" id={`${at}-errors`}>
          {errors[at].join(' ')}
        </p>
      )}
      <div class="rows" {...dragging.over}>
        {lines.map((line, n) =>
          drawn(line, n, () => (
            <div
              class="row"
              key={keyOf(line)}
              role="group"
              aria-label={t('line', { n: n + 1 })}
              onKeyDown={(event) => now.current.walk(event, n)}
              onPaste={(event) => now.current.paste(event, n)}
            >
              <div class="line-fields">
                {usual.map(inputOf(line, n))}
                {sums && <LineSum sum={sums.get(line)} />}
              </div>
              <div class="line-foot">
                <div class="line-tools">
                  {lines.length > 1 && (
                    <>
                      <span class="grip" draggable title={say('drag_line')} aria-hidden="true" {...dragging.gripOf(n)}>
                        <Icon name="grip" />
                      </span>
                      <LineTool
                        label={t('lineUp', { n: n + 1 })}
                        icon="up"
                        disabled={n === 0}
                        act={(button) => now.current.move(n, n - 1, button)}
                      />
                      <LineTool
                        label={t('lineDown', { n: n + 1 })}
                        icon="down"
                        disabled={n === lines.length - 1}
                        act={(button) => now.current.move(n, n + 1, button)}
                      />
                    </>
                  )}
                  <LineTool
                    label={say('copy_line', { n: n + 1 })}
                    icon="copy"
                    disabled={lines.length >= most}
                    act={() => now.current.copy(n)}
                  />
                  <LineTool label={t('removeLine', { n: n + 1 })} icon="trash" act={() => now.current.remove(n)} />
                </div>
                {rare.length > 0 && (
                  <Rare n={n} isOpen={rare.some((one) => isSaidIn(line, one) || errors[`${at}.${n}.${one.name}`])}>
                    {() => rare.map(inputOf(line, n))}
                  </Rare>
                )}
              </div>
            </div>
          )),
        )}
        <div class="lines-foot">
          <button type="button" class="add" aria-disabled={lines.length >= most} onClick={() => add()}>
            <Icon name="plus" />
            {t('addLine')}
          </button>
          <p class="hint">{say('keys')}</p>
        </div>
      </div>
    </fieldset>
  )
}

const isSaidIn = (line: Values, field: Field) => {
  const value = line[field.name]
  return !isEmpty(value) && String(value) !== String(field.default ?? '') && !(isNumeric(field) && Number(value) === 0)
}

interface LineToolProps {
  label: string
  icon: IconName
  disabled?: boolean
  act: (button: Element) => void
}
const LineTool = ({ label, icon, disabled, act }: LineToolProps) => (
  <button
    type="button"
    class="plain only-icon"
    aria-label={label}
    aria-disabled={disabled}
    onClick={({ currentTarget }) => !disabled && act(currentTarget)}
  >
    <Icon name={icon} />
  </button>
)

/** Total of a line, as computed by the server. */
const LINE_SUM: Field = { name: 'line_total', label: say('sum'), kind: 'money' }
const LineSum = ({ sum }: { sum: Row | undefined }) => (
  <div class="figure line-sum">
    <span class="label">{LINE_SUM.label}</span>
    <output>{sum ? textFor(LINE_SUM, sum[LINE_SUM.name], sum) : '–'}</output>
  </div>
)

/** Rarely used fields of a line: collapsed unless one has a value or an error. */
function Rare({ n, isOpen, children }: { n: number; isOpen: boolean; children: () => ComponentChildren }) {
  const open = useSignal(isOpen)
  if (isOpen && !open.value) open.value = true
  return (
    <details class="rare" open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary aria-label={say('more_of', { n: n + 1 })}>{say('more')}</summary>
      {open.value && <div class="line-fields">{children()}</div>}
    </details>
  )
}

/** Custom type, so that text fields don't accept a dropped line. */
const LINE_TYPE = 'application/x-line'

/** Dragging of lines by their grips, with a mark at the target position. */
function useDragging(moved: (from: number, to: number) => void) {
  const from = useRef<number | undefined>(undefined)
  const rowsIn = (box: Element) => [...box.querySelectorAll(':scope > .row')]
  const placeAt = (event: DragEvent & { currentTarget: Element }) => {
    const rows = rowsIn(event.currentTarget)
    const before = rows.findIndex((row) => {
      const { top, height } = row.getBoundingClientRect()
      return event.clientY < top + height / 2
    })
    return { rows, before: before < 0 ? rows.length : before }
  }
  const mark = (rows: Element[], at?: number) => {
    for (const [n, row] of rows.entries()) {
      row.toggleAttribute('data-before', n === at)
      row.toggleAttribute('data-behind', at === rows.length && n === at - 1)
    }
  }
  return {
    gripOf: (n: number) => ({
      onDragStart: (event: DragEvent & { currentTarget: Element }) => {
        from.current = n
        event.dataTransfer?.setData(LINE_TYPE, String(n))
        const row = event.currentTarget.closest('.row')
        if (row) event.dataTransfer?.setDragImage(row, 16, 16)
      },
    }),
    over: {
      onDragOver: (event: DragEvent & { currentTarget: Element }) => {
        if (from.current === undefined) return
        event.preventDefault()
        const { rows, before } = placeAt(event)
        mark(rows, before)
      },
      onDragEnd: (event: DragEvent & { currentTarget: Element }) => {
        from.current = undefined
        mark(rowsIn(event.currentTarget))
      },
      onDrop: (event: DragEvent & { currentTarget: Element }) => {
        const [began, { rows, before }] = [from.current, placeAt(event)]
        mark(rows)
        if (began === undefined) return
        event.preventDefault()
        from.current = undefined
        moved(began, before > began ? before - 1 : before)
      },
    },
  }
}
