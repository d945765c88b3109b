/** Files on their way to the API, each with how much of it is sent. */
import { signal } from '@preact/signals'
import { progress } from '#client/progress.ts'
import { ApiError, call } from '../api.ts'

export interface Upload {
  id: number
  name: string
  /** From 0 to 1. */
  share: number
  /** Why it was refused. */
  error: string | undefined
  cancel: () => void
}

/** Sends files one after another; `sent` is called after each that has arrived. What is on its way, or was refused, stands in `uploads`. */
export function uploader(path: string, bodyOf: (file: File) => Record<string, unknown>, sent: () => void) {
  const uploads = signal<readonly Upload[]>([])
  let last = 0
  let before: Promise<void> = Promise.resolve()
  const change = (id: number, to: Partial<Upload>) => {
    uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...to } : one))
  }
  const drop = (id: number) => {
    uploads.value = uploads.value.filter((one) => one.id !== id)
  }
  const send = async (id: number, file: File, ending: AbortSignal) => {
    if (ending.aborted) return
    try {
      await call('post', path, {
        body: { ...bodyOf(file), file },
        signal: ending,
        fetch: progress((done, total) => change(id, { share: total ? done / total : 0 })),
      })
      drop(id)
      sent()
    } catch (error) {
      if (ending.aborted) return
      const fields = error instanceof ApiError ? Object.values(error.fields).flat() : []
      change(id, { error: fields.length ? fields.join(' ') : (error as Error).message })
    }
  }
  return {
    uploads,
    add(files: Iterable<File>) {
      for (const file of files) {
        const id = ++last
        const ending = new AbortController()
        const cancel = () => {
          ending.abort()
          drop(id)
        }
        uploads.value = [...uploads.value, { id, name: file.name, share: 0, error: undefined, cancel }]
        before = before.then(() => send(id, file, ending.signal))
      }
    },
  }
}
