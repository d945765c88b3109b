/** Writing: recipients, subject, text, files. What is typed is kept at once; it leaves only when somebody presses Send. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { ApiError, call } from '#console/client/api.ts'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Field, TextField, type Tied } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { CONTROL, ENTER } from '#console/client/parts/key-names.ts'
import { Item as Choice, Menu } from '#console/client/parts/menu.tsx'
import { settleField } from '#console/client/parts/sent-by-keys.ts'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { sendFile } from '#console/client/parts/uploads.tsx'
import { useAnswer } from '#console/client/screens/data.ts'
import { fileAddress, type Row, summaryOf } from '#console/client/screens/shape.ts'
import { sizeText } from '#console/client/screens/sizes.ts'
import { type Draft, forget, keep, keptDraft, loaded, save } from './drafts.ts'
import type { Writer } from './editor.tsx'
import { htmlOf, type Mailbox, type Message, messagePath, type Person, turned, written } from './mail.ts'
import { Sign } from './parts.tsx'
import { t } from './texts.ts'

interface Props {
  /** Of a draft on this device, or in the account's Drafts. */
  name: string
  mailboxes: Mailbox[]
  close: () => void
}

export default function Compose({ name, mailboxes, close }: Props) {
  const kept = useSignal(keptDraft(name)).value
  // What is in Drafts as it was written here may have been changed elsewhere since.
  const draft = useSignal<Draft | undefined>(kept?.isAhead ? kept : undefined)
  const error = useSignal<unknown>(undefined)
  const load = () => {
    if (!draft.value)
      loaded(kept?.uuid ?? name, kept?.key).then(
        // Only this device knows which files are still to come.
        (found) => (draft.value = { ...found, brings: kept?.brings ?? null }),
        (failure) => {
          // Only what the API refuses is its word: a reply that isn't its own leaves what is on this device.
          const isRefused = failure instanceof ApiError && failure.status >= 400 && failure.status < 500
          if (kept && !isRefused) draft.value = kept
          else error.value = failure
        },
      )
  }
  useEffect(load, [])
  if (error.value) return <Trouble error={error.value} again={load} />
  if (!draft.value) return <p class="quiet email-note">{t('loading')}</p>
  return <Writing draft={draft as Signal<Draft>} mailboxes={mailboxes} close={close} />
}

/** The editor of formatted text: the inbox fetches it ahead, so that it is there without a connection. */
export const loadEditor = async () => {
  const [editor] = await Promise.all([import('./editor.tsx'), import('./letter-html.ts')])
  return editor.default
}

/** After so much quiet it is laid into Drafts. In milliseconds. */
const PAUSE_MS = 2500

/** Keeps what is written: on this device at once, in Drafts after some quiet. */
function useStored(draft: Signal<Draft>) {
  const state = useSignal<'kept' | 'saved' | 'saving' | 'lost' | undefined>(
    draft.value.uuid && !draft.value.isAhead ? 'saved' : undefined,
  )
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const busy = useRef<Promise<unknown>>(Promise.resolve())
  const isOver = useRef(false)
  const isLeft = useRef(false)

  const change = (changes: Partial<Draft>) => {
    draft.value = { ...draft.value, isTouched: true, ...changes, isAhead: true }
    const isKept = keep(draft.value)
    if (!draft.value.isTouched) return
    state.value = isKept ? 'kept' : 'lost'
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void store().catch(() => {}), PAUSE_MS)
  }
  /** One after another: the first makes the draft that the others change. */
  const store = (): Promise<string> => {
    clearTimeout(timer.current)
    const next = busy.current
      .catch(() => {})
      .then(async () => {
        if (isOver.current) throw new Error('over')
        const { isAhead, uuid } = draft.value
        if (!isAhead && uuid) return uuid
        const sent = draft.value
        state.value = 'saving'
        try {
          const made = await save(sent)
          const isBehind = draft.value !== sent
          draft.value = { ...draft.value, uuid: made, isAhead: isBehind }
          keep(draft.value)
          state.value = isBehind ? 'kept' : 'saved'
          return made
        } catch (error) {
          state.value = 'kept'
          throw error
        }
      })
    busy.current = next
    return next
  }
  useEffect(() => {
    const leave = () => {
      isLeft.current = true
      clearTimeout(timer.current)
      if (isOver.current) return
      if (!draft.value.isTouched) forget(draft.value.key)
      else if (draft.value.isAhead) void store().then(turned, () => {})
    }
    return leave
  }, [])
  return {
    state,
    isLeft,
    change,
    store,
    /** Nothing more of it is stored; waits for what is on its way. */
    async end() {
      isOver.current = true
      clearTimeout(timer.current)
      await busy.current.catch(() => {})
    },
  }
}

function Writing({ draft, mailboxes, close }: { draft: Signal<Draft>; mailboxes: Mailbox[]; close: () => void }) {
  const { state, isLeft, change, store, end } = useStored(draft)
  const errors = useSignal<Record<string, readonly string[]>>({})
  const failed = useSignal('')
  const waits = useSignal(false)
  const uploads = useSignal<{ id: number; name: string; done: number }[]>([])
  /** Files of the message that is passed on are on their way. */
  const isBringing = useSignal(false)
  /** Not all of them could be had. */
  const isLacking = useSignal(false)
  const dragging = useSignal(false)
  const writer = useSignal<Writer | undefined>(undefined)
  const showsCopies = useSignal(draft.value.cc.length > 0 || draft.value.bcc.length > 0)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (draft.value.brings) void bring()
    if (!draft.value.to.length) form.current?.querySelector<HTMLElement>('input[role=combobox]')?.focus()
  }, [])

  const refused = (error: unknown) => {
    const fields = error instanceof ApiError ? error.fields : {}
    // `to.0.email` is said at the field.
    const grouped = new Map<string, readonly string[]>()
    for (const [at, said] of Object.entries(fields)) grouped.set(at.split('.')[0]!, said)
    errors.value = Object.fromEntries(grouped)
    const known = ['to', 'cc', 'bcc', 'subject', 'body_text', 'body_html', 'file']
    failed.value = [...grouped.keys()].some((at) => known.includes(at)) ? '' : (error as Error).message
    if (grouped.has('cc') || grouped.has('bcc')) showsCopies.value = true
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }
  const send = async (event?: Event) => {
    event?.preventDefault()
    if (waits.value || uploads.value.length || isBringing.value) return
    if (draft.value.brings) return form.current?.querySelector<HTMLElement>('.email-missing button')?.focus()
    errors.value = {}
    failed.value = ''
    const { to, cc, bcc } = draft.value
    if (!to.length && !cc.length && !bcc.length) {
      errors.value = { to: [t('nobodyNamed')] }
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    waits.value = true
    try {
      const uuid = await store()
      const { message } = await call('post', messagePath(uuid, '/send'), { body: {} })
      void end()
      forget(draft.value.key)
      tell(message)
      turned()
      close()
    } catch (error) {
      refused(error)
    } finally {
      waits.value = false
    }
  }
  const discard = async () => {
    await end()
    const { uuid, files, ...rest } = draft.value
    forget(rest.key)
    try {
      if (uuid) await call('delete', messagePath(uuid))
      tell(
        t('discarded'),
        files.length
          ? undefined
          : {
              label: t('undo'),
              run: () =>
                void keep({ ...rest, key: uuid === rest.key ? `${rest.key}-again` : rest.key, files: [], isAhead: true }),
            },
      )
    } catch (error) {
      tell((error as Error).message)
    }
    turned()
    close()
  }

  /** Answers whether all of them were attached. */
  const attach = async (files: File[]): Promise<boolean> => {
    let isWhole = true
    errors.value = {}
    let total = draft.value.files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    for (const [n, file] of files.entries()) {
      total += file.size
      if (total > MAX_BYTES || draft.value.files.length + uploads.value.length >= MAX_FILES) {
        errors.value = { file: [t('tooMuch', { size: sizeText(MAX_BYTES), count: MAX_FILES })] }
        return false
      }
      const id = Date.now() + n
      const tellDone = (done: number) =>
        (uploads.value = [...uploads.value.filter((one) => one.id !== id), ...(done < 0 ? [] : [{ id, name: file.name, done }])])
      tellDone(0)
      try {
        const uuid = await store()
        const message = await upload(uuid, file, tellDone)
        draft.value = { ...draft.value, files: message.attachments }
        keep(draft.value)
      } catch (error) {
        isWhole = false
        refused(error)
      } finally {
        tellDone(-1)
      }
    }
    return isWhole
  }
  /** Files of the message that this one passes on: each message has copies of its own. Those that can't be had stay named until they can, or are left out. */
  const bring = async () => {
    if (isBringing.value) return
    const { uuid, files } = draft.value.brings!
    isBringing.value = true
    change({})
    const isAsked = (id: string) => draft.value.brings?.files.some((one) => one.id === id) // nobody has left it out
    for (const { id, name, mime } of files) {
      if (!isAsked(id)) continue
      const content = await fetch(fileAddress(messagePath(uuid, `/attachments/${encodeURIComponent(id)}`)))
        .then((reply) => (reply.ok ? reply.blob() : undefined))
        .catch(() => undefined)
      if (isLeft.current) return
      if (content && isAsked(id) && (await attach([new File([content], name, { type: mime })]))) leaveOut(id)
    }
    isBringing.value = false
    isLacking.value = draft.value.brings !== null
  }
  const leaveOut = (id: string) => {
    if (!draft.value.brings) return
    const { uuid, files } = draft.value.brings
    const rest = files.filter((one) => one.id !== id)
    const isThere = form.current?.querySelector('.email-missing')?.contains(document.activeElement)
    draft.value = { ...draft.value, brings: rest.length ? { uuid, files: rest } : null }
    keep(draft.value)
    if (isThere) setTimeout(() => form.current?.querySelector<HTMLElement>('.email-missing button, [type=submit]')?.focus())
  }
  const detach = async (id: string) => {
    try {
      const { data } = await call('delete', messagePath(draft.value.uuid!, `/attachments/${encodeURIComponent(id)}`))
      draft.value = { ...draft.value, files: (data as Message).attachments }
      keep(draft.value)
    } catch (error) {
      tell((error as Error).message)
    }
  }

  const { account, subject, files, uuid, brings } = draft.value
  const missing = isLacking.value ? (brings?.files ?? []) : []
  const id = useId()
  return (
    <form
      ref={form}
      class={`email-writing${dragging.value ? ' dragging' : ''}`}
      aria-labelledby={`${id}-title`}
      noValidate
      onSubmit={send}
      onKeyDown={(event) => {
        // A dialog of the form has a form of its own, or none: its keys send no letter.
        if ((event.target as Element).closest('dialog')) return
        if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
        if (event.key === 'Enter') {
          settleField() // an address that is still typed
          void send(event)
        } else if (event.key.toLowerCase() === 's') event.preventDefault() // sends elsewhere; here all is kept as it is typed
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        dragging.value = true
      }}
      onDragLeave={() => (dragging.value = false)}
      onDrop={(event) => {
        dragging.value = false
        if (!event.dataTransfer?.files.length) return
        event.preventDefault()
        void attach([...event.dataTransfer.files])
      }}
      onPaste={(event) => {
        const { types = [], files = [] } = event.clipboardData ?? {}
        // Word gives a picture of its text beside it, formatted and plain. A browser's picture has no plain text, a file of a folder none that is formatted.
        if (!files.length || (types.includes('text/html') && types.includes('text/plain'))) return
        event.preventDefault()
        void attach([...files])
      }}
    >
      <h2 id={`${id}-title`}>{subject || t('newMessage')}</h2>
      <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
      {mailboxes.length > 1 && (
        <Field label={t('from')}>
          {(tied) => (
            <select
              {...tied}
              value={account}
              disabled={uuid !== undefined}
              onChange={(event) => change({ account: event.currentTarget.value })}
            >
              {mailboxes.map((one) => (
                <option key={one.uuid} value={one.uuid}>
                  {written({ email: one.email_address, name: one.from_name })}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <People label={t('to')} value={draft.value.to} errors={errors.value.to} set={(to) => change({ to })} />
      {showsCopies.value ? (
        <>
          <People label={t('cc')} value={draft.value.cc} errors={errors.value.cc} set={(cc) => change({ cc })} />
          <People label={t('bcc')} value={draft.value.bcc} errors={errors.value.bcc} set={(bcc) => change({ bcc })} />
        </>
      ) : (
        <button type="button" class="plain email-copies" onClick={() => (showsCopies.value = true)}>
          {t('addCopies')}
        </button>
      )}
      <TextField
        label={t('subject')}
        value={subject}
        maxLength={998}
        errors={errors.value.subject}
        onInput={(event: { currentTarget: HTMLInputElement }) => change({ subject: event.currentTarget.value })}
      />
      <Text
        draft={draft.value}
        errors={errors.value.body_text ?? errors.value.body_html}
        change={change}
        ready={(found) => {
          writer.value = found
          if (!draft.value.to.length) return
          if (found) found.focus()
          else setTimeout(() => form.current?.querySelector('textarea')?.focus())
        }}
      />
      {(files.length > 0 || uploads.value.length > 0) && (
        <ul class="email-files" aria-label={t('files')}>
          {files.map((file) => (
            <li key={file.id}>
              <Sign name="clip" />
              <span class="email-name">{file.name}</span>
              <span class="quiet">{sizeText(file.size_bytes)}</span>
              <button
                type="button"
                class="plain only-icon"
                aria-label={t('detach', { name: file.name })}
                onClick={() => void detach(file.id)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
          {uploads.value.map((one) => (
            <li key={one.id}>
              <Sign name="clip" />
              <label class="email-name">
                {one.name} <progress value={one.done} max={1} />
              </label>
            </li>
          ))}
        </ul>
      )}
      {errors.value.file && (
        <p class="error" role="alert">
          {errors.value.file.join(' ')}
        </p>
      )}
      {isBringing.value && (
        <p class="quiet" role="status">
          {t('bringing')}
        </p>
      )}
      {missing.length > 0 && (
        <div class="email-missing">
          <p class="error" role="alert">
            {t('missing')}
          </p>
          <button type="button" aria-disabled={isBringing.value} onClick={() => void bring()}>
            {t('tryAgain')}
          </button>
          <ul class="email-files" aria-label={t('missingFiles')}>
            {missing.map(({ id, name }) => (
              <li key={id}>
                <Sign name="clip" />
                <span class="email-name">{name}</span>
                <button type="button" class="plain" aria-label={t('leaveOutOf', { name })} onClick={() => leaveOut(id)}>
                  {t('leaveOut')}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="email-foot">
        <button
          type="submit"
          class="primary"
          aria-disabled={waits.value || uploads.value.length > 0 || !!brings}
          title={`${CONTROL}+${ENTER}`}
        >
          {t('send')}
        </button>
        <label class="button email-attach">
          <Sign name="clip" />
          {t('attach')}
          <input
            type="file"
            class="unseen"
            multiple
            aria-label={t('attach')}
            onChange={(event) => {
              const chosen = [...(event.currentTarget.files ?? [])]
              event.currentTarget.value = ''
              void attach(chosen)
            }}
          />
        </label>
        {writer.value && (
          <>
            <Templates draft={draft.value} change={change} writer={writer.value} />
            <Signatures draft={draft.value} change={change} writer={writer.value} />
          </>
        )}
        <button type="button" class="plain" onClick={() => void discard()}>
          <Icon name="trash" />
          {t('discard')}
        </button>
        <span class="quiet" role="status">
          {state.value ? t(`draft_${state.value}`) : ''}
        </span>
      </div>
    </form>
  )
}

interface TextProps {
  draft: Draft
  errors: readonly string[] | undefined
  change: (changes: Partial<Draft>) => void
  /** undefined: it is plain, and there are no tools for it. */
  ready: (writer: Writer | undefined) => void
}

/** Formatted, where its script can be had and the editor holds all of it; else plain. */
function Text({ draft, errors, change, ready }: TextProps) {
  const found = useSignal<{ editor?: typeof import('./editor.tsx').default; isPlain?: true }>({})
  const begins = useSignal(draft.html ?? htmlOf(draft.text))
  const plainly = () => {
    found.value = { isPlain: true }
    ready(undefined)
  }
  useEffect(() => void loadEditor().then((editor) => (found.value = { editor }), plainly), [])
  const { editor: Editor, isPlain } = found.value
  return (
    <Field label={t('text')} errors={errors} hint={isPlain && draft.html ? t('formatted') : undefined}>
      {(tied) =>
        Editor ? (
          <Editor
            tied={tied}
            label={t('text')}
            html={begins.value}
            forwarded={t('forwarded')}
            change={(written, isTouched) => change(isTouched ? written : { ...written, isTouched: draft.isTouched })}
            ready={ready}
            refuse={plainly}
          />
        ) : (
          <textarea
            {...tied}
            class="email-body"
            rows={14}
            maxLength={500_000}
            value={draft.text}
            readOnly={!isPlain}
            onInput={(event) => change({ text: event.currentTarget.value, html: null })}
          />
        )
      }
    </Field>
  )
}

/** As the service has it, for all files of a message. */
const MAX_BYTES = 18 * 1024 * 1024
const MAX_FILES = 20

async function upload(uuid: string, file: File, tellDone: (done: number) => void): Promise<Message> {
  try {
    return (await sendFile(messagePath(uuid, '/attachments'), { file }, tellDone)).data as Message
  } catch (error) {
    // What isn't the service's own word says nothing of the file.
    const isOwn = error instanceof ApiError && error.status > 0 && !error.code.startsWith('HTTP_')
    throw isOwn ? error : new Error(t('notUploaded', { name: file.name }))
  }
}

/** Where people are found: lists that somebody may see. */
const DIRECTORIES = ['contacts', 'users', 'leads']
const ASK_MS = 150
const SHOWN = '5'

/** One or several, as they are pasted: `Ann <ann@example.test>; bob@example.test`. */
function peopleIn(text: string): Person[] {
  return text
    .split(/[,;\n]+/)
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => {
      const [, name = '', email = ''] = /^"?([^"<]*)"?\s*<([^<>]+)>$/.exec(one) ?? []
      return email ? { email: email.trim(), name: name.trim() || null } : { email: one, name: null }
    })
}

interface PeopleProps {
  label: string
  value: Person[]
  errors: readonly string[] | undefined
  set: (people: Person[]) => void
}

function People({ label, value, errors, set }: PeopleProps) {
  const typed = useSignal('')
  const found = useSignal<Person[]>([])
  const mark = useSignal(-1)
  const id = useId()
  useEffect(() => {
    mark.value = -1
    found.value = []
    const search = typed.value.trim()
    if (search.length < 2) return
    const ending = new AbortController()
    const timer = setTimeout(() => {
      for (const key of DIRECTORIES) {
        const screen = summaryOf(key)
        if (!screen?.is_searchable) continue
        call('get', screen.path, { params: { query: { search, per_page: SHOWN } }, signal: ending.signal }).then(
          ({ data }) => {
            const people = (data as Row[]).flatMap(({ email, name }) =>
              email ? [{ email: String(email), name: name ? String(name) : null }] : [],
            )
            const known = new Set([...value, ...found.value].map((one) => one.email.toLowerCase()))
            found.value = [...found.value, ...people.filter((one) => !known.has(one.email.toLowerCase()))].slice(0, 8)
          },
          () => {},
        )
      }
    }, ASK_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [typed.value])
  const add = (people: Person[]) => {
    const known = new Set(value.map((one) => one.email.toLowerCase()))
    const added = people.filter((one) => !known.has(one.email.toLowerCase()) && known.add(one.email.toLowerCase()))
    if (added.length) set([...value, ...added])
    typed.value = ''
    found.value = []
  }
  const take = () => add(mark.value >= 0 && found.value[mark.value] ? [found.value[mark.value]!] : peopleIn(typed.value))
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' && found.value.length) mark.value = Math.min(mark.value + 1, found.value.length - 1)
    else if (event.key === 'ArrowUp' && found.value.length) mark.value = Math.max(mark.value - 1, -1)
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) typed.value.trim() && take()
    else if ((event.key === ',' || event.key === ';') && /@/.test(typed.value)) take()
    else if (event.key === 'Escape' && found.value.length) found.value = []
    else {
      if (event.key === 'Tab' && mark.value >= 0) take()
      if (event.key === 'Backspace' && !typed.value && value.length) set(value.slice(0, -1))
      return
    }
    event.preventDefault()
  }
  const field = (tied: Tied) => (
    <div class="email-recipients">
      {value.length > 0 && (
        <ul class="chips">
          {value.map((one) => (
            <li key={one.email} title={one.email}>
              {one.name || one.email}
              <button
                type="button"
                aria-label={t('removePerson', { name: one.name || one.email })}
                onClick={() => set(value.filter((other) => other !== one))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="combo">
        <input
          {...tied}
          type="text"
          role="combobox"
          autocomplete="off"
          inputMode="email"
          aria-expanded={found.value.length > 0}
          aria-autocomplete="list"
          aria-controls={found.value.length ? `${id}-list` : undefined}
          aria-activedescendant={mark.value >= 0 ? `${id}-${mark.value}` : undefined}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onKeyDown={keys}
          onBlur={() => {
            if (typed.value.trim()) take()
            found.value = []
          }}
          onPaste={(event) => {
            const text = event.clipboardData?.getData('text') ?? ''
            if (!/[,;\n]/.test(text)) return
            event.preventDefault()
            add(peopleIn(typed.value + text))
          }}
        />
        {found.value.length > 0 && (
          <ul id={`${id}-list`} role="listbox" aria-label={t('suggestions')}>
            {found.value.map((one, n) => (
              <li
                key={one.email}
                id={`${id}-${n}`}
                role="option"
                tabIndex={-1}
                aria-selected={n === mark.value}
                onPointerDown={(event) => {
                  event.preventDefault()
                  add([one])
                }}
              >
                {written(one)}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
  return (
    <Field label={label} errors={errors}>
      {field}
    </Field>
  )
}

interface Filled {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  writer: Writer
}

const WHOLE = { per_page: '100' }

/** Texts that stand ready. What is to be filled in is asked for first. */
function Templates({ draft, change, writer }: Filled) {
  const { answer } = useAnswer('/email/templates', { ...WHOLE, for_compose: '1' })
  const asked = useSignal<Row | undefined>(undefined)
  const values = useSignal<Record<string, string>>({})
  const failed = useSignal('')
  const templates = (answer?.data ?? []) as Row[]
  if (!templates.length) return null
  const use = async (template: Row) => {
    try {
      const { data } = await call('post', `/email/templates/${encodeURIComponent(template.uuid)}/render`, {
        body: { variables: values.value },
      })
      if (!draft.subject || !draft.in_reply_to) change({ subject: data.subject })
      asked.value = undefined
      setTimeout(() => writer.begin(data.body_html)) // once the dialog has given back the focus
    } catch (error) {
      if (asked.value) failed.value = (error as Error).message
      else tell((error as Error).message)
    }
  }
  const choose = (template: Row) => {
    const name = draft.to[0]?.name ?? ''
    const variables = template.variables as string[]
    values.value = Object.fromEntries(variables.map((one) => [one, /(^|[._])name$/.test(one) ? name : '']))
    failed.value = ''
    if (variables.length) asked.value = template
    else void use(template)
  }
  return (
    <>
      <Menu kind="plain" place="up from-start" label={t('template')}>
        {templates.map((one) => (
          <Choice key={one.uuid} act={() => choose(one)}>
            {one.name}
          </Choice>
        ))}
      </Menu>
      {asked.value && (
        <Dialog title={String(asked.value.name)} close={() => (asked.value = undefined)}>
          <form
            class="dialog-body"
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              event.stopPropagation()
              void use(asked.value!)
            }}
          >
            <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
            {(asked.value.variables as string[]).map((one) => (
              <TextField
                key={one}
                label={one}
                value={values.value[one]}
                maxLength={10_000}
                onInput={(event: { currentTarget: HTMLInputElement }) =>
                  (values.value = { ...values.value, [one]: event.currentTarget.value })
                }
              />
            ))}
            <div class="dialog-foot">
              <button type="button" onClick={() => (asked.value = undefined)}>
                {t('cancel')}
              </button>
              <button type="submit" class="primary">
                {t('fillIn')}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

const htmlOfSignature = ({ body_html, body_text }: Row) => String(body_html || htmlOf(String(body_text ?? '')))

/** The account's own comes into a new message by itself; another one takes its place. */
function Signatures({ draft, change, writer }: Filled) {
  const { answer } = useAnswer('/email/signatures', WHOLE)
  const all = ((answer?.data ?? []) as Row[]).filter(
    ({ account_uuid }) => account_uuid === null || account_uuid === draft.account,
  )
  const usual =
    all.find(({ is_default, account_uuid }) => is_default && account_uuid === draft.account) ??
    all.find(({ is_default }) => is_default)
  const known = all.map(htmlOfSignature)
  /** Reads each signature: not with each key. */
  const presentNow = () => all[writer.signed(known)]
  const put = (signature: Row | undefined) => {
    change({ isUnsigned: false, isTouched: draft.isTouched || !draft.isUnsigned })
    writer.sign(signature && htmlOfSignature(signature), known, !draft.isUnsigned)
  }
  useEffect(() => {
    if (answer && draft.isUnsigned && usual && !presentNow()) put(usual)
  }, [answer])
  if (!all.length) return null
  return (
    <Menu kind="plain" place="up from-start" label={t('signature')}>
      {() => {
        const present = presentNow()
        return (
          <>
            {all.map((one) => (
              <Choice key={one.uuid} checked={one === present} act={() => put(one)}>
                {one.name}
              </Choice>
            ))}
            <Choice checked={!present} act={() => put(undefined)}>
              {t('noSignature')}
            </Choice>
          </>
        )
      }}
    </Menu>
  )
}
