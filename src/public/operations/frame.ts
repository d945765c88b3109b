/** Common layout of both dashboards. */

const pages = { metrics: 'Metrics', queues: 'Queues' }

export const tabs = (here: keyof typeof pages) =>
  `<nav>${Object.entries(pages)
    .map(([key, title]) => `<a href="/operations/${key}"${key === here ? ' aria-current="page"' : ''}>${title}</a>`)
    .join('')}</nav>`

/** Wraps a table in a region that scrolls horizontally, also by keyboard. */
export const scrolled = (label: string, table: string) =>
  `<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`

export const styles = `
main.wide { margin: 1.5rem auto }
h2, nav a[aria-current] { color: inherit }
nav { display: flex; gap: 1.25rem; margin-bottom: 1rem }
nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: none }
h2 { margin: 2rem 0 .25rem; font-size: 1.05rem }
label { margin: 0 }
select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: 6px; padding: .2rem .4rem }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .6rem; margin: 1rem 0 }
dl div { padding: .6rem .8rem; background: var(--raised); border-radius: 6px }
dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums }
dt { font-size: .85rem; color: var(--quiet) }
#charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 1.25rem }
figure { margin: 0 }
figcaption { font-weight: 600 }
figure svg { display: block; width: 100%; height: auto; background: var(--card); border: 1px solid var(--line); border-radius: 6px }
figure p { display: flex; flex-wrap: wrap; gap: 0 .9rem; margin: .25rem 0 0; font-size: .85rem; font-variant-numeric: tabular-nums }
figure p span { white-space: nowrap }
path { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke }
:root { --line0: #1f4f82; --line1: #9a4b08; --line2: #a0253c }
@media (prefers-color-scheme: dark) { :root { --line0: #8ab8ea; --line1: #f0a35e; --line2: #ff8fa3 } }
.line0 { stroke: var(--line0); color: var(--line0) } .line1 { stroke: var(--line1); color: var(--line1) } .line2 { stroke: var(--line2); color: var(--line2) }
.grid { stroke: var(--line); stroke-width: 1 } .cursor { stroke: var(--field); stroke-width: 1 }
svg text { font: 11px system-ui, sans-serif; fill: var(--quiet); stroke: var(--card); stroke-width: 3; paint-order: stroke }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
th:first-child, td:first-child, td.text, th.text { text-align: left }
td.text { min-width: 12rem; white-space: normal; overflow-wrap: anywhere }
tr.bad td { color: var(--bad) }
td button { margin: 0 0 0 .4rem; padding: .25rem .6rem; font-size: .85rem }
button.plain { color: var(--bad); background: var(--card); border: 1px solid var(--bad) }
@media (max-width: 30rem) { #charts { grid-template-columns: minmax(0, 1fr) } }
`
