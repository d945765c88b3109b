/** Queue dashboard: waiting and running jobs, and dead letters to retry or discard. */
import { page } from '#kernel/http/page.ts'
import { scrolled, styles, tabs } from './frame.ts'

const heads = (names: string[]) =>
  names.map((name) => `<th scope="col"${name === 'Error' ? ' class="text"' : ''}>${name}</th>`).join('')

export const queuesPage = () =>
  page({
    title: 'Queues',
    styles,
    width: 'wide',
    body: `${tabs('queues')}
<p role="status" aria-live="polite">Loading …</p>
${scrolled(
  'Queues',
  `<table><thead><tr>${heads(['Queue', 'Waiting', 'Oldest', 'Later', 'To be tried again', 'Active', 'Dead letters'])}</tr></thead>
<tbody id="queues"></tbody></table>`,
)}
<h2>Dead letters</h2>
<p id="letters-said"></p>
${scrolled(
  'Dead letters',
  `<table><thead><tr>${heads(['Queue', 'Workspace', 'Tries', 'Error', 'Failed at', 'Do'])}</tr></thead>
<tbody id="letters"></tbody></table>`,
)}`,
    script,
  })

const script = `
const UNREACHABLE = 'The service does not answer.'
const status = document.querySelector('[role=status]')
const html = (name, text = '', className = '') => Object.assign(document.createElement(name), { textContent: text, className })
const row = (cells, className = '') => {
  const line = html('tr', '', className)
  line.append(...cells.map((cell) => typeof cell === 'object' ? cell : html('td', String(cell))))
  return line
}
const count = (n) => n ? n.toLocaleString('en') : '·'
const lasts = (seconds) => seconds === null ? '·' : seconds < 90 ? Math.round(seconds) + ' s'
  : seconds < 5400 ? Math.round(seconds / 60) + ' min' : Math.round(seconds / 3600) + ' h'
const button = (text, className, work) => {
  const made = html('button', text, className)
  made.addEventListener('click', async () => {
    made.disabled = true
    await work().catch(() => { status.textContent = UNREACHABLE })
    made.disabled = false // where its row still stands
  })
  return made
}
async function change(what, id) {
  if (what === 'discard' && !confirm('Forget this job for good?')) return refresh()
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch('/operations/queues/' + what, { method: 'POST', headers, body: JSON.stringify({ ids: [id] }) })
  const { message, data } = await reply.json()
  await refresh()
  status.textContent = !reply.ok ? message : data?.retried === 0 ? 'Not given back: it is gone, or the same is queued already.' : 'Done.'
}
const letterRow = ({ id, queue, tenant_id, tries, error, failed_at }) => {
  const buttons = html('td')
  buttons.append(button('Retry', '', () => change('retry', id)), button('Discard', 'plain', () => change('discard', id)))
  const cells = [queue ?? 'unknown', tenant_id ?? '·', tries ?? '·', html('td', error ?? '·', 'text'), new Date(failed_at).toLocaleString(), buttons]
  return row(cells)
}
async function refresh() {
  if (document.hidden) return
  const reply = await fetch('/operations/queues/data').catch(() => undefined)
  const data = await reply?.json().catch(() => undefined)
  if (!reply?.ok) {
    status.textContent = data?.message ?? UNREACHABLE
    if (reply?.status === 401) clearInterval(timer)
    return
  }
  status.textContent = 'As of ' + new Date().toLocaleTimeString() + '.'
  document.getElementById('queues').replaceChildren(...data.queues.map(({ name, waiting, oldest, delayed, retrying, active, failed }) =>
    row([name, count(waiting), lasts(oldest), count(delayed), count(retrying), count(active), count(failed)], failed ? 'bad' : '')))
  document.getElementById('letters-said').textContent = data.total
    ? 'Jobs that failed for good: ' + data.total.toLocaleString('en') + (data.total > data.letters.length ? ', the newest first.' : '.')
    : 'No job has failed for good.'
  document.getElementById('letters').replaceChildren(...data.letters.map(letterRow))
}
const timer = setInterval(refresh, 10_000)
document.addEventListener('visibilitychange', refresh)
refresh()`
