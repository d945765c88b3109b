/** Styles of the pages beyond the common layout, and the script for drawing a signature. Without the script a name is typed. */

export const styles = `
.title { margin: 0 0 1.25rem; font-size: 1.15rem; font-weight: 600 }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; color: var(--link) }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: 1rem 2rem; margin: 0 0 1.5rem }
dt, .hint, small { color: var(--quiet); font-size: .875rem }
dd { margin: 0 }
.wide { grid-column: 1 / -1 }
.text > :first-child { margin-top: 0 }
.text > :last-child { margin-bottom: 0 }
.text :is(h1, h2, h3, h4) { margin: 1rem 0 .3rem; font-size: 1rem; color: inherit }
.text table { border-collapse: collapse; display: block; overflow-x: auto }
.text td, .text th { border: 1px solid var(--line); padding: .3rem .5rem; text-align: start }
pre { white-space: pre-wrap }
div.lines { overflow-x: auto }
table.lines { width: 100%; border-collapse: collapse }
table.lines th { font-weight: 400; text-align: start; vertical-align: top }
table.lines thead th { font-size: .8rem; font-weight: 600; color: var(--link); vertical-align: bottom; border-bottom: 2px solid var(--link) }
table.lines tbody tr { border-bottom: 1px solid var(--line) }
table.lines td, table.lines th { padding: .6rem 0 }
table.lines td, table.lines thead th:not(:first-child) { text-align: end; padding-inline-start: 1rem; vertical-align: top }
table.lines tbody th { min-width: 9rem; overflow-wrap: anywhere }
table.lines td { white-space: nowrap; font-variant-numeric: tabular-nums }
table.lines .text { margin-top: .4rem; font-size: .875rem }
table.totals { margin-block-start: 1rem; margin-inline-start: auto; border-collapse: collapse }
table.totals th { font-weight: 400; text-align: start; vertical-align: top; padding-block: .25rem; padding-inline-end: 2rem }
table.totals td { text-align: end; vertical-align: top; white-space: nowrap; padding: .25rem 0; font-variant-numeric: tabular-nums }
table.totals .strong > * { font-weight: 600; font-size: 1.1rem; color: var(--link); border-top: 2px solid var(--link); padding-top: .5rem }
table.taxes { margin-block-start: 1rem; margin-inline-start: auto; border-collapse: collapse; font-size: .875rem; color: var(--quiet) }
table.taxes :is(th, td) { font-weight: 400; padding-block: .15rem; padding-inline: 1.5rem 0; text-align: end; font-variant-numeric: tabular-nums }
table.taxes thead th { font-weight: 600 }
.sign { margin-top: 2.5rem; padding-top: .5rem; border-top: 2px solid var(--link) }
.hint { margin: .5rem 0 0 }
.check { display: flex; gap: .6rem; align-items: flex-start }
.check input { width: 1.3rem; height: 1.3rem; margin: .1rem 0 0; flex: none }
canvas { display: block; box-sizing: border-box; width: 100%; max-width: 30rem; height: auto; margin-top: .4rem; background: #fff; border: 1px solid var(--field); border-radius: 6px; touch-action: none; cursor: crosshair }
button.plain { margin-top: .4rem; padding: .3rem .6rem; font-size: .875rem; color: inherit; background: var(--raised); border: 1px solid var(--field) }
code { overflow-wrap: anywhere }
@media (min-width: 64rem) {
  main.columns { grid-template-columns: minmax(0, 1fr) 21rem; max-width: 76rem }
  .sign { position: sticky; top: 2rem; margin-top: 0 }
  .sign h2 { margin-top: .5rem }
}
@media (min-width: 52rem) and (max-width: 64rem) { main.columns { display: block } }
@media (max-width: 40rem) {
  table.lines, table.lines tbody { display: block }
  table.lines thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  table.lines tr { display: block; padding: .6rem 0 }
  table.lines tbody th { display: block; padding: 0 0 .3rem; font-weight: 600 }
  table.lines td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; white-space: normal }
  table.lines td::before { content: attr(data-label); color: var(--quiet); white-space: nowrap }
  table.lines td:empty { display: none }
  table.lines .text { font-weight: 400 }
  table.totals, table.taxes { width: 100% }
  form > button { width: 100% }
}
@media print { .sign { display: none } }
`

export const script = `const form = document.querySelector('form')
const pad = document.getElementById('pad')
const canvas = pad.querySelector('canvas')
const pen = canvas.getContext('2d')
let drawn = false
let last
Object.assign(pen, { lineWidth: 5, lineCap: 'round', lineJoin: 'round', strokeStyle: '#1c2430' })
pad.hidden = false
const at = ({ clientX, clientY }) => {
  const { left, top, width, height } = canvas.getBoundingClientRect()
  return [(clientX - left) * canvas.width / width, (clientY - top) * canvas.height / height]
}
canvas.addEventListener('pointerdown', (event) => {
  canvas.setPointerCapture(event.pointerId)
  last = at(event)
})
canvas.addEventListener('pointermove', (event) => {
  if (!last) return
  const next = at(event)
  pen.beginPath()
  pen.moveTo(...last)
  pen.lineTo(...next)
  pen.stroke()
  last = next
  drawn = true
})
for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => (last = undefined))
pad.querySelector('button').addEventListener('click', () => {
  pen.clearRect(0, 0, canvas.width, canvas.height)
  drawn = false
})
const submit = form.querySelector('button:not([type])')
form.addEventListener('submit', () => {
  form.elements.drawn.value = drawn ? canvas.toDataURL() : ''
  submit.disabled = true
})
addEventListener('pageshow', () => (submit.disabled = false))`
