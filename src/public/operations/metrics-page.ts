/** Metrics dashboard: charts that load /operations/metrics/data every ten seconds. */
import { page } from '#kernel/http/page.ts'
import { chartScript } from './chart-script.ts'
import { scrolled, styles, tabs } from './frame.ts'

/** Charts, with the label of each line by the name of its figure. */
const shown = [
  { title: 'Requests', unit: '/s', lines: { requests: 'all' } },
  { title: 'Latency', unit: ' ms', lines: { p50: '50 %', p95: '95 %', p99: '99 %' } },
  { title: 'Errors', unit: '/s', lines: { refused: 'refused (4xx)', failed: 'failed (5xx)' } },
  { title: 'Jobs', unit: '/min', lines: { completed: 'done', retried: 'tried again', given_up: 'given up' } },
  { title: 'Database connections', unit: '', lines: { open: 'open', busy: 'busy', queued: 'requests that wait' } },
  { title: 'Memory', unit: ' MB', lines: { memory: 'all processes' } },
  { title: 'Event loop', unit: ' ms', lines: { lag: 'delay of the slowest process (99 %)' } },
]

const facts = {
  processes: 'processes in the last minute',
  waiting_jobs: 'jobs that wait',
  dead_letters: 'dead letters',
  connections: 'connections to the database',
  longest_transaction: 'seconds of the longest transaction',
  megabytes: 'MB of database',
  cache_hits: '% of blocks read from memory',
  deadlocks: 'deadlocks since the statistics began',
}

export const metricsPage = () =>
  page({
    title: 'Metrics',
    styles,
    width: 'wide',
    body: `${tabs('metrics')}
<form><label>Last <select name="minutes"><option value="15">15 minutes</option><option value="60">hour</option><option value="360">6 hours</option></select></label></form>
<p role="status" aria-live="polite">Loading …</p>
<dl id="facts"></dl>
<div id="charts"></div>
<h2>Where this process spends its time</h2>
<p>Since its start, the routes on which most time was spent.</p>
${scrolled(
  'Routes',
  '<table><thead><tr><th scope="col">Route</th><th scope="col">Requests</th><th scope="col">Mean</th><th scope="col">Failed</th></tr></thead><tbody id="routes"></tbody></table>',
)}`,
    script: `const shown = ${JSON.stringify(shown)}
const facts = ${JSON.stringify(facts)}
${chartScript}`,
  })
