/** Files on their way: several at once, each with how far it is, why it failed, and again. They go on while one looks elsewhere. */
import { signal } from '@preact/signals'
import { ApiError, call } from '#console/client/api.ts'
import { Icon } from '#console/client/parts/icon.tsx'
import { progress } from '#console/client/progress.ts'
import { changed } from '#console/client/screens/data.ts'
import { t as common } from '#console/client/texts/texts.ts'
import { sizeText } from './document.ts'
import { t } from './texts.ts'

interface Upload {
  id: number
  file: File
  folder: number | undefined
  state: 'waits' | 'runs' | 'done' | 'failed'
  /** Of 100. */
  sent: number
  why?: string
  ending: AbortController
}

const AT_ONCE = 3
const uploads = signal<readonly Upload[]>([])
let last = 0
let mostBytes = Number.POSITIVE_INFINITY

const change = (id: number, to: Partial<Upload>) =>
  (uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...to } : one)))

/** What is known to be refused before a byte is sent. */
const refusal = ({ size }: File) =>
  size === 0 ? t('isEmpty') : size > mostBytes ? t('tooLarge', { size: sizeText(mostBytes) }) : undefined

export function upload(files: Iterable<File>, folder: number | undefined, most: number | undefined) {
  mostBytes = most ?? mostBytes
  const added = [...files].map((file): Upload => {
    const why = refusal(file)
    const state = why ? ('failed' as const) : ('waits' as const)
    return { id: ++last, file, folder, state, sent: 0, ending: new AbortController(), ...(why ? { why } : {}) }
  })
  uploads.value = [...uploads.value, ...added]
  goOn()
}

function goOn() {
  const running = uploads.value.filter(({ state }) => state === 'runs').length
  for (const one of uploads.value.filter(({ state }) => state === 'waits').slice(0, AT_ONCE - running)) void run(one)
}

const titleOf = (name: string) => (name.replace(/\.[^.]+$/, '').trim() || name).slice(0, 255)
/** The first reason that a field has, else what the API says of the whole. */
const reasonOf = (error: unknown) =>
  (error instanceof ApiError ? Object.values(error.fields)[0]?.[0] : undefined) ?? (error as Error).message

async function run({ id, file, folder, ending }: Upload) {
  change(id, { state: 'runs', sent: 0 })
  try {
    const body = { title: titleOf(file.name), file, ...(folder === undefined ? {} : { category_id: folder }) }
    const told = progress((sent, total) => change(id, { sent: total ? Math.floor((100 * sent) / total) : 0 }))
    await call('post', '/documents', { body, fetch: told, signal: ending.signal })
    change(id, { state: 'done', sent: 100 })
    changed()
  } catch (error) {
    if (!ending.signal.aborted) change(id, { state: 'failed', why: reasonOf(error) })
  }
  goOn()
}

const again = ({ id, file }: Upload) => {
  const why = refusal(file)
  change(id, why ? { why } : { state: 'waits', why: '', ending: new AbortController() })
  goOn()
}
const stop = ({ id, ending }: Upload) => {
  ending.abort()
  uploads.value = uploads.value.filter((one) => one.id !== id)
  goOn()
}

/** Whoever leaves the page while files are on their way is asked whether they mean it. */
addEventListener('beforeunload', (event) => {
  if (uploads.value.some(({ state }) => state === 'waits' || state === 'runs')) event.preventDefault()
})

export function Uploads() {
  const all = uploads.value
  if (!all.length) return null
  const isOver = all.every(({ state }) => state === 'done' || state === 'failed')
  return (
    <section class="documents-uploads" aria-label={t('uploads')}>
      <h2>
        {t('uploads')}
        {isOver && (
          <button type="button" class="plain" onClick={() => (uploads.value = [])}>
            {t('clearDone')}
          </button>
        )}
      </h2>
      <ul>
        {all.map((one) => (
          <li key={one.id} data-state={one.state}>
            <span class="documents-name">{one.file.name}</span>
            {one.state === 'failed' ? (
              <>
                <span class="error" role="alert">
                  {one.why}
                </span>
                <button type="button" class="plain" aria-label={t('againOf', { name: one.file.name })} onClick={() => again(one)}>
                  {t('again')}
                </button>
              </>
            ) : one.state === 'done' ? (
              <span class="documents-done" role="status">
                {t('uploaded')}
              </span>
            ) : (
              <progress max="100" value={one.sent} aria-label={one.file.name} />
            )}
            {one.state !== 'done' && (
              <button
                type="button"
                class="plain only-icon"
                aria-label={
                  one.state === 'failed' ? common('remove', { name: one.file.name }) : t('stopOf', { name: one.file.name })
                }
                onClick={() => stop(one)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
