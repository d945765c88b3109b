/** Uploads with progress, errors and retry, several at once. They continue while the user is on other screens. */
import { signal } from '@preact/signals'
import { progress } from '#client/progress.ts'
import { ApiError, call } from '../api.ts'
import { changed } from '../screens/data.ts'
import { sizeText } from '../screens/sizes.ts'
import { t as common, textsOf } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

const t = textsOf({
  en: {
    uploads: 'Uploads',
    uploaded: 'Uploaded',
    tooLarge: 'Larger than {size}.',
    isEmpty: 'The file is empty.',
    again: 'Try again',
    againOf: 'Try again: {name}',
    stopOf: 'Stop {name}',
    clear: 'Clear',
  },
  de: {
    uploads: 'Hochgeladenes',
    uploaded: 'Hochgeladen',
    tooLarge: 'Größer als {size}.',
    isEmpty: 'Die Datei ist leer.',
    again: 'Noch einmal',
    againOf: '{name} noch einmal versuchen',
    stopOf: '{name} anhalten',
    clear: 'Aufräumen',
  },
})

/** Destination of files. */
export interface Target {
  /** Uploads with the same name are shown together. */
  name: string
  path: string
  bodyOf: (file: File) => Record<string, unknown>
  /** Larger files are rejected before any byte is sent. */
  maxBytes?: number | undefined
}

interface Upload {
  id: number
  file: File
  to: Target
  state: 'waits' | 'runs' | 'done' | 'failed'
  /** Percent. */
  sent: number
  why?: string
  ending: AbortController
}

const AT_ONCE = 3
const uploads = signal<readonly Upload[]>([])
let last = 0

const change = (id: number, to: Partial<Upload>) => {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...to } : one))
}

/** Sends a file with the other fields and reports the progress. */
export const sendFile = (path: string, body: { file: File }, told: (sent: number) => void, signal?: AbortSignal) =>
  call('post', path, { body, fetch: progress((sent, total) => told(total ? sent / total : 0)), ...(signal ? { signal } : {}) })

/** Returns the reason to reject a file without sending it. */
const refusal = ({ size }: File, { maxBytes = Number.POSITIVE_INFINITY }: Target) =>
  size === 0 ? t('isEmpty') : size > maxBytes ? t('tooLarge', { size: sizeText(maxBytes) }) : undefined

/** Uploads files; `Uploads` with the same name shows their progress. */
export function upload(files: Iterable<File>, to: Target) {
  const added = [...files].map((file): Upload => {
    const why = refusal(file, to)
    const state = why ? ('failed' as const) : ('waits' as const)
    return { id: ++last, file, to, state, sent: 0, ending: new AbortController(), ...(why ? { why } : {}) }
  })
  uploads.value = [...uploads.value, ...added]
  goOn()
}

function goOn() {
  const running = uploads.value.filter(({ state }) => state === 'runs').length
  for (const one of uploads.value.filter(({ state }) => state === 'waits').slice(0, AT_ONCE - running)) void run(one)
}

/** Returns the first field error, or else the API's message. */
const reasonOf = (error: unknown) =>
  (error instanceof ApiError ? Object.values(error.fields)[0]?.[0] : undefined) ?? (error as Error).message

async function run({ id, file, to, ending }: Upload) {
  change(id, { state: 'runs', sent: 0 })
  try {
    const told = (sent: number) => change(id, { sent: Math.floor(100 * sent) })
    await sendFile(to.path, { ...to.bodyOf(file), file }, told, ending.signal)
    change(id, { state: 'done', sent: 100 })
    changed()
  } catch (error) {
    if (!ending.signal.aborted) change(id, { state: 'failed', why: reasonOf(error) })
  }
  goOn()
}

const again = ({ id, file, to }: Upload) => {
  const why = refusal(file, to)
  change(id, why ? { why } : { state: 'waits', why: '', ending: new AbortController() })
  goOn()
}
const stop = ({ id, ending }: Upload) => {
  ending.abort()
  uploads.value = uploads.value.filter((one) => one.id !== id)
  goOn()
}
const clear = (name: string) => {
  uploads.value = uploads.value.filter(({ to }) => to.name !== name)
}

/** Leaving the page during uploads needs a confirmation. */
addEventListener('beforeunload', (event) => {
  if (uploads.value.some(({ state }) => state === 'waits' || state === 'runs')) event.preventDefault()
})

export function Uploads({ name }: { name: string }) {
  const all = uploads.value.filter(({ to }) => to.name === name)
  if (!all.length) return null
  const isOver = all.every(({ state }) => state === 'done' || state === 'failed')
  return (
    <section class="uploads" aria-label={t('uploads')}>
      <p>
        {t('uploads')}
        {isOver && (
          <button type="button" class="plain" onClick={() => clear(name)}>
            {t('clear')}
          </button>
        )}
      </p>
      <ul>
        {all.map((one) => (
          <UploadLine key={one.id} upload={one} again={() => again(one)} stop={() => stop(one)} />
        ))}
      </ul>
    </section>
  )
}

/** One upload. */
export const UploadLine = ({
  upload: { file, state, sent, why },
  again,
  stop,
}: {
  upload: { file: { name: string } } & Pick<Upload, 'state' | 'sent' | 'why'>
  again: () => void
  stop: () => void
}) => (
  <li data-state={state}>
    <span class="name">{file.name}</span>
    {state === 'failed' ? (
      <>
        <span class="error" role="alert">
          {why}
        </span>
        <button type="button" class="plain" aria-label={t('againOf', { name: file.name })} onClick={again}>
          {t('again')}
        </button>
      </>
    ) : state === 'done' ? (
      <span class="sent" role="status">
        {t('uploaded')}
      </span>
    ) : (
      <progress max="100" value={sent} aria-label={file.name} />
    )}
    {state !== 'done' && (
      <button
        type="button"
        class="plain only-icon"
        aria-label={state === 'failed' ? common('remove', { name: file.name }) : t('stopOf', { name: file.name })}
        onClick={stop}
      >
        <Icon name="close" />
      </button>
    )}
  </li>
)
