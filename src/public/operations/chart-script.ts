/** Browser script of the metrics dashboard. It draws plain SVG and inserts the service's data only as text. */
export const chartScript = `
const WIDTH = 400, HEIGHT = 130, TOP = 14
const status = document.querySelector('[role=status]')
const select = document.querySelector('select')
const node = (name, attributes = {}, text = '') => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.textContent = text
  return element
}
const html = (name, text = '', className = '') => Object.assign(document.createElement(name), { textContent: text, className })
const said = (value) => value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
const niceAbove = (value) => {
  const unit = 10 ** Math.floor(Math.log10(value || 1))
  return [1, 2, 5, 10].map((n) => n * unit).find((top) => top >= value) ?? 1
}

const charts = shown.map(({ title, unit, lines }) => {
  const figure = html('figure')
  const svg = node('svg', { viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, role: 'img', 'aria-label': title })
  const legend = html('p')
  figure.append(html('figcaption', title), svg, legend)
  document.getElementById('charts').append(figure)
  let data
  const say = (at) => legend.replaceChildren(...Object.entries(lines).map(([key, name], n) => {
    const value = data.points[at]?.[key]
    return html('span', name + ': ' + (value === undefined ? '–' : said(value) + unit), 'line' + n)
  }), html('span', new Date(Date.parse(data.from) + at * data.step * 1000).toLocaleTimeString()))
  const last = () => data.points.findLastIndex(Boolean)
  const cursor = node('line', { class: 'cursor', y1: TOP, y2: HEIGHT })
  svg.addEventListener('pointermove', ({ clientX }) => {
    if (!data) return
    const { left, width } = svg.getBoundingClientRect()
    const at = Math.min(data.points.length - 1, Math.max(0, Math.round((clientX - left) / width * (data.points.length - 1))))
    const x = at / (data.points.length - 1) * WIDTH
    cursor.setAttribute('x1', x)
    cursor.setAttribute('x2', x)
    svg.append(cursor)
    say(at)
  })
  svg.addEventListener('pointerleave', () => { cursor.remove(); data && say(last()) })
  return (next) => {
    data = next
    const top = niceAbove(Math.max(0, ...data.points.flatMap((point) => point ? Object.keys(lines).map((key) => point[key]) : [])))
    const y = (value) => HEIGHT - 1 - value / top * (HEIGHT - TOP - 1)
    const marks = [top, top / 2]
    const drawn = marks.map((value) => node('line', { class: 'grid', x1: 0, x2: WIDTH, y1: y(value), y2: y(value) }))
    Object.keys(lines).forEach((key, n) => {
      let pen = 'M'
      const path = data.points.map((point, at) => {
        if (!point) return (pen = 'M', '')
        const step = pen + (at / (data.points.length - 1) * WIDTH).toFixed(1) + ' ' + y(point[key]).toFixed(1)
        pen = 'L'
        return step
      })
      drawn.push(node('path', { class: 'line' + n, d: path.join('') }))
    })
    svg.replaceChildren(...drawn, ...marks.map((value) => node('text', { x: 4, y: y(value) - 3 }, said(value) + unit)))
    say(last())
    svg.setAttribute('aria-label', title + '. ' + legend.textContent)
  }
})

const row = (cells, className = '') => {
  const line = html('tr', '', className)
  line.append(...cells.map((text) => html('td', text)))
  return line
}
async function refresh() {
  if (document.hidden) return
  const reply = await fetch('/operations/metrics/data?minutes=' + select.value).catch(() => undefined)
  const data = await reply?.json().catch(() => undefined)
  if (!reply?.ok) {
    status.textContent = data?.message ?? 'The service does not answer.'
    if (reply?.status === 401) clearInterval(timer)
    return
  }
  status.textContent = data.points.some(Boolean) ? 'As of ' + new Date().toLocaleTimeString() + '.' : 'The first figures come ten seconds after the start.'
  for (const draw of charts) draw(data)
  document.getElementById('facts').replaceChildren(...Object.entries(facts).map(([key, name]) => {
    const box = html('div')
    box.append(html('dd', said(data.now[key])), html('dt', name))
    return box
  }))
  document.getElementById('routes').replaceChildren(...data.routes.map(({ route, requests, failed, seconds }) =>
    row([route, said(requests), said(seconds / requests * 1000) + ' ms', said(failed)], failed ? 'bad' : '')))
}
const timer = setInterval(refresh, 10_000)
select.addEventListener('change', refresh)
document.addEventListener('visibilitychange', refresh)
refresh()`
