/** What both dashboards look like. */

const pages = { metrics: 'Metrics', queues: 'Queues' }

export const tabs = (here: keyof typeof pages) =>
  `<nav>${Object.entries(pages)
    .map(([key, title]) => `<a href="/operations/${key}"${key === here ? ' aria-current="page"' : ''}>${title}</a>`)
    .join('')}</nav>`

export const styles = `
main, main.narrow { max-width: 76rem; margin: 1.5rem auto }
nav { display: flex; gap: 1.25rem; margin-bottom: 1rem }
nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: none }
h2 { margin: 2rem 0 .25rem; font-size: 1.05rem }
label { margin: 0 }
select { font: inherit; padding: .2rem .4rem }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .6rem; margin: 1rem 0 }
dl div { padding: .6rem .8rem; background: #f4f5f7; border-radius: 6px }
dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums }
dt { font-size: .85rem; color: #4a5563 }
#charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 1.25rem }
figure { margin: 0 }
figcaption { font-weight: 600 }
figure svg { display: block; width: 100%; height: auto; background: #fafbfc; border: 1px solid #dfe3e8; border-radius: 6px }
figure p { margin: .25rem 0 0; font-size: .85rem; font-variant-numeric: tabular-nums }
figure p span { margin-right: .9rem; white-space: nowrap }
path { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke }
.line0 { stroke: #1f4f82; color: #1f4f82 } .line1 { stroke: #b4580a; color: #9a4b08 } .line2 { stroke: #a0253c; color: #a0253c }
.grid { stroke: #dfe3e8; stroke-width: 1 } .cursor { stroke: #6b7683; stroke-width: 1 }
svg text { font: 11px system-ui, sans-serif; fill: #4a5563; stroke: #fafbfc; stroke-width: 3; paint-order: stroke }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #e6e9ed; font-variant-numeric: tabular-nums }
th:first-child, td:first-child, td.text, th.text { text-align: left }
td.text { min-width: 12rem; white-space: normal; overflow-wrap: anywhere }
tr.bad td { background: #fdf1f2 }
td button { margin: 0 0 0 .4rem; padding: .25rem .6rem; font-size: .85rem }
button.plain { color: #a0253c; background: #fff; border: 1px solid #a0253c }
@media (max-width: 30rem) { #charts { grid-template-columns: 1fr } }
`
