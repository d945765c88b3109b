/**
 * A conversation as a stack of messages, with the requested one open. HTML of strangers is only displayed in a frame of its own.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { go } from '#console/client/addresses.ts'
import { ApiError, call } from '#console/client/api.ts'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Field } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Item as Choice, Menu } from '#console/client/parts/menu.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { ReferenceInput } from '#console/client/screens/reference-input.tsx'
import { fileAddress, recordAddress, screens, summaryOf } from '#console/client/screens/shape.ts'
import { sizeText } from '#console/client/screens/sizes.ts'
import { moment } from '#console/client/texts/texts.ts'
import {
  type Attachment,
  type Item,
  type Mailbox,
  type Message,
  mayCreate,
  mayUpdate,
  messagePath,
  nameOf,
  shortly,
  writeAddress,
  written,
} from './mail.ts'
import { LabelChip, Sign } from './parts.tsx'
import { t } from './texts.ts'

export type Answering = 'reply' | 'all' | 'forward'

interface Props {
  uuid: string
  mailbox: Mailbox
  /** The message as known from the list. */
  known: Item | undefined
  tools: ComponentChildren
  answer: (how: Answering, message: Message) => void
  read: (item: Item) => void
  /** Called with the open messages, for the keys. */
  shown: (messages: Item[]) => void
}

const MAX_MESSAGES = '100'

export function Reading({ uuid, mailbox, known, tools, answer, read, shown }: Props) {
  const { answer: found, error, again } = useAnswer(messagePath(uuid, '/thread'), { per_page: MAX_MESSAGES })
  const heading = useRef<HTMLHeadingElement>(null)
  const hidden = new Set(mailbox.folders.filter(({ type }) => type === 'trash' || type === 'junk').map((one) => one.uuid))
  const all = (found?.data ?? (known ? [known] : [])) as Item[]
  const here = all.find((one) => one.uuid === uuid)
  const stack = all
    .filter((one) => one.uuid === uuid || (one.status !== 'draft' && !hidden.has(one.folder_uuid)))
    .toSorted((a, b) => a.date.localeCompare(b.date))
  useEffect(() => shown(stack), [found, uuid])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [uuid])
  if (error && !here) return <Trouble error={error} again={again} />
  return (
    <>
      <div class="email-head">
        <h2 ref={heading} tabIndex={-1}>
          {here ? here.subject || t('noSubject') : t('loading')}
        </h2>
        {here?.labels.map((one) => (
          <LabelChip key={one.uuid} label={one} />
        ))}
        {tools}
      </div>
      {stack.map((one) => (
        <Letter
          key={one.uuid}
          item={one}
          mailbox={mailbox}
          isFirst={one.uuid === uuid}
          isAlone={stack.length === 1}
          answer={answer}
          read={read}
        />
      ))}
    </>
  )
}

interface LetterProps {
  item: Item
  mailbox: Mailbox
  isFirst: boolean
  isAlone: boolean
  answer: Props['answer']
  read: Props['read']
}

function Letter({ item, mailbox, isFirst, isAlone, answer, read }: LetterProps) {
  const isOpen = useSignal(isFirst)
  const id = useId()
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen.value && !item.is_read && mayUpdate) read(item)
  }, [isOpen.value])
  useEffect(() => {
    if (isFirst && !isAlone) box.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const from = item.from ? nameOf(item.from) : t('unknownSender')
  const folder = mailbox.folders.find(({ uuid }) => uuid === item.folder_uuid)
  return (
    <article ref={box} class="email-letter" aria-labelledby={`${id}-from`}>
      <div class="email-top">
        <button type="button" class="plain" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          <span id={`${id}-from`} class="email-from">
            {from}
          </span>
          {!isOpen.value && <span class="email-snippet">{item.snippet}</span>}
        </button>
        {folder && !isAlone && <span class="quiet email-where">{folder.name}</span>}
        <time dateTime={item.date} title={moment.format(new Date(item.date))}>
          {isOpen.value ? moment.format(new Date(item.date)) : shortly(item.date)}
        </time>
      </div>
      {isOpen.value && <Opened item={item} answer={answer} />}
    </article>
  )
}

const people = (label: Parameters<typeof t>[0], some: Message['to']) =>
  some.length > 0 && (
    <>
      <dt>{t(label)}</dt>
      <dd>{some.map(written).join(', ')}</dd>
    </>
  )

function Opened({ item, answer }: { item: Item; answer: Props['answer'] }) {
  const { answer: found, error, again } = useAnswer(messagePath(item.uuid))
  const message = found?.data as Message | undefined
  if (!message)
    return error ? (
      <Trouble error={error} again={again} />
    ) : (
      <p class="quiet email-note" aria-busy="true">
        {t('loading')}
      </p>
    )
  const files = message.attachments.filter(({ is_inline, mime }) => !is_inline || !mime.startsWith('image/'))
  return (
    <div class="email-opened">
      <dl class="email-people">
        {people('from', message.from ? [message.from] : [])}
        {people('to', message.to)}
        {people('cc', message.cc)}
        {people('bcc', message.bcc)}
      </dl>
      {message.error && <p class="notice bad">{message.error}</p>}
      <Body message={message} again={again} />
      {files.length > 0 && (
        <ul class="email-files" aria-label={t('files')}>
          {files.map((file) => (
            <Attached key={file.id} message={message} file={file} />
          ))}
        </ul>
      )}
      <Links message={message} />
      <div class="email-answers">
        {mayCreate && message.status !== 'draft' && (
          <>
            <button type="button" onClick={() => answer('reply', message)}>
              <Sign name="reply" />
              {t('reply')}
            </button>
            <button type="button" onClick={() => answer('all', message)}>
              <Sign name="all" />
              {t('replyAll')}
            </button>
            <button type="button" onClick={() => answer('forward', message)}>
              <Sign name="forward" />
              {t('forward')}
            </button>
          </>
        )}
        {message.status === 'draft' && mayUpdate && (
          <a class="button" href={writeAddress(message.uuid)}>
            {t('edit')}
          </a>
        )}
      </div>
    </div>
  )
}

/** The content of the frame can't be measured: estimates its height from the text, in pixels. Users can resize it. */
function heightOf({ body_html, body_text }: Message): number {
  const lines = (body_text ?? '').split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 80), 0)
  const many = (tag: RegExp) => Math.min(body_html?.match(tag)?.length ?? 0, 40)
  return Math.min(lines * 22 + many(/<(p|tr|h\d)\b/gi) * 16 + Math.min(many(/<img [^>]*\bsrc=/gi) * 120, 480) + 48, 1600)
}

function Body({ message, again }: { message: Message; again: () => void }) {
  const pictures = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const { uuid, body_html, body_text, subject } = message
  useEffect(() => {
    if (box.current) box.current.style.blockSize = `${heightOf(message)}px`
  }, [body_html])
  if (body_html === null && body_text === null)
    return (
      <p class="notice bad" role="alert">
        {t('noBody')}{' '}
        <button type="button" onClick={again}>
          {t('tryAgain')}
        </button>
      </p>
    )
  if (!body_html) return <div class="email-text">{body_text}</div>
  const query = pictures.value ? '?remote_images=true' : ''
  return (
    <>
      {!pictures.value && body_html.includes('data-remote-src') && (
        <p class="notice email-remote">
          {t('remote')}{' '}
          <button type="button" onClick={() => (pictures.value = true)}>
            {t('showRemote')}
          </button>
        </p>
      )}
      <div ref={box} class="email-frame">
        <iframe
          key={query}
          src={fileAddress(messagePath(uuid, '/page') + query)}
          title={t('textOf', { subject: subject || t('noSubject') })}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerpolicy="no-referrer"
        />
      </div>
    </>
  )
}

/** Type of a file in a word: its extension, else the subtype of its media type. */
const kindOf = ({ name, mime }: Attachment) => (/\.(\w{1,8})$/.exec(name)?.[1] ?? mime.split('/').at(-1) ?? '').toUpperCase()

function Attached({ message, file }: { message: Message; file: Attachment }) {
  const address = fileAddress(messagePath(message.uuid, `/attachments/${encodeURIComponent(file.id)}`))
  return (
    <li>
      <a href={address} download={file.name}>
        <Icon name="download" />
        <span class="email-name">{file.name}</span>
      </a>
      <span class="quiet">
        {kindOf(file)}, {sizeText(file.size_bytes)}
      </span>
      <Keeping message={message} file={file} address={address} />
    </li>
  )
}

/** Types that may be e-invoices: XML, and PDFs that may embed it. */
const isInvoice = ({ name, mime }: Attachment) => /\.(xml|pdf)$/i.test(name) || /\b(xml|pdf)$/.test(mime)

/** Turns a file into a record of another module, if that is installed and the user may create one. */
function Keeping({ message, file, address }: { message: Message; file: Attachment; address: string }) {
  const isBusy = useSignal(false)
  const invoices = summaryOf('incoming-invoices')
  const documents = summaryOf('documents')
  const keep = async (screen: NonNullable<typeof documents>, body: () => Promise<object>) => {
    if (isBusy.value) return
    isBusy.value = true
    try {
      const { data, message: said } = await call('post', screen.path, { body: await body() })
      tell(said, { label: t('open'), run: () => go(recordAddress(screen, data.id)) })
      changed()
    } catch (error) {
      const fields = error instanceof ApiError ? Object.values(error.fields).flat() : []
      tell(fields.length ? `${file.name}: ${fields.join(' ')}` : (error as Error).message)
    } finally {
      isBusy.value = false
    }
  }
  const asInvoice = async () => ({ email_message_uuid: message.uuid, email_attachment_id: file.id })
  const asDocument = async () => {
    const reply = await fetch(address)
    if (!reply.ok) throw new Error(t('notKept', { name: file.name }))
    const title = file.name.replace(/\.\w{1,8}$/, '').slice(0, 255) || file.name.slice(0, 255)
    return { title, file: new File([await reply.blob()], file.name, { type: file.mime }) }
  }
  const readsInvoice = invoices?.may_create && message.status === 'received' && isInvoice(file)
  if (!readsInvoice && !documents?.may_create) return null
  return (
    <Menu kind="plain" place="from-start" label={t('keep')} name={t('keepFile', { name: file.name })}>
      {readsInvoice && <Choice act={() => void keep(invoices, asInvoice)}>{t('asInvoice')}</Choice>}
      {documents?.may_create && <Choice act={() => void keep(documents, asDocument)}>{t('asDocument')}</Choice>}
    </Menu>
  )
}

const LINKABLE = { lead: 'leads', contact: 'contacts', company: 'companies', opportunity: 'opportunities' }
type Kind = keyof typeof LINKABLE

/** The records linked to a message. */
function Links({ message }: { message: Message }) {
  const asked = useSignal<Kind | undefined>(undefined)
  const kinds = (Object.keys(LINKABLE) as Kind[]).filter((kind) => screens.some(({ key }) => key === LINKABLE[kind]))
  const send = async (method: 'post' | 'delete', body: object) => {
    try {
      tell((await call(method, messagePath(message.uuid, '/link'), { body })).message)
      asked.value = undefined
    } catch (error) {
      tell((error as Error).message)
    }
    changed()
  }
  if (!message.links.length && (!kinds.length || !mayUpdate)) return null
  return (
    <div class="email-links">
      {message.links.map(({ linkable_type, linkable_id, label }) => {
        const screen = summaryOf(LINKABLE[linkable_type as Kind])
        return (
          <span class="tag" key={`${linkable_type} ${linkable_id}`}>
            {screen ? <a href={recordAddress(screen, linkable_id)}>{label}</a> : label}
            {mayUpdate && (
              <button
                type="button"
                class="plain only-icon"
                aria-label={t('unlink', { name: label })}
                onClick={() => void send('delete', { linkable_type, linkable_id })}
              >
                <Icon name="close" />
              </button>
            )}
          </span>
        )
      })}
      {mayUpdate && kinds.length > 0 && (
        <Menu
          kind="plain"
          place="from-start"
          label={
            <>
              <Icon name="link" />
              {t('link')}
            </>
          }
        >
          {kinds.map((kind) => (
            <Choice key={kind} act={() => (asked.value = kind)}>
              {t(kind)}
            </Choice>
          ))}
        </Menu>
      )}
      {asked.value && (
        <Dialog title={t('link')} close={() => (asked.value = undefined)}>
          <div class="dialog-body">
            <Field label={t(asked.value)}>
              {(tied) => (
                <ReferenceInput
                  field={{
                    name: 'linkable_id',
                    label: t(asked.value!),
                    kind: 'reference',
                    refers_to: { resource: asked.value!, screen: LINKABLE[asked.value!] },
                  }}
                  tied={tied}
                  value={undefined}
                  choose={(linkable_id) =>
                    linkable_id !== undefined && void send('post', { linkable_type: asked.value, linkable_id })
                  }
                />
              )}
            </Field>
          </div>
        </Dialog>
      )}
    </div>
  )
}
