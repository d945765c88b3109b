/** Preview of a document, if the page can show its type, with its details. Arrow keys open the previous and the next one. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { contentAddress, downloadAddress, isPicture } from '#console/client/screens/documents.ts'
import { recordAddress, type Screen } from '#console/client/screens/shape.ts'
import { sizeText } from '#console/client/screens/sizes.ts'
import { t as common, moment } from '#console/client/texts/texts.ts'
import { type Doc, isText, kindOf } from './document.ts'
import { t } from './texts.ts'

interface Props {
  screen: Screen
  docs: Doc[]
  id: number
  show: (id: number) => void
  close: () => void
}

export function Preview({ screen, docs, id, show, close }: Props) {
  const n = docs.findIndex((doc) => doc.id === id)
  const doc = docs[n]
  const broken = useSignal<number | undefined>(undefined)
  // Closes when the document is deleted meanwhile.
  useEffect(() => {
    if (!doc) close()
  }, [doc])
  if (!doc) return null
  const [before, after] = [docs[n - 1], docs[n + 1]]
  const walk = (event: KeyboardEvent) => {
    const towards = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!towards) return
    const isMirrored = getComputedStyle(event.currentTarget as Element).direction === 'rtl'
    const to = docs[n + (isMirrored ? -towards : towards)]
    event.preventDefault()
    if (to) show(to.id)
  }
  const facts: [string, string][] = [
    [t('kind'), kindOf(doc)],
    [t('size'), sizeText(doc.size_bytes)],
    [t('folder'), doc.category?.name ?? t('unfiled')],
    [t('by'), doc.creator?.name ?? ''],
    [t('madeAt'), moment.format(new Date(doc.created_at))],
  ]
  return (
    <Dialog title={doc.title} kind="documents-preview" close={close}>
      <div class="dialog-body" onKeyDown={walk}>
        <div class="documents-shown">
          {isPicture(doc) && broken.value !== doc.id ? (
            <img key={doc.id} src={contentAddress(doc)} alt={doc.title} onError={() => (broken.value = doc.id)} />
          ) : isText(doc) ? (
            <Text key={doc.id} doc={doc} />
          ) : (
            <p class="quiet">
              <Icon name="document" />
              {t(isPicture(doc) ? 'pictureFailed' : 'noPreview')}
            </p>
          )}
        </div>
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <div class="dialog-foot">
          <button
            type="button"
            class="only-icon"
            aria-label={common('previous')}
            aria-disabled={!before}
            onClick={() => before && show(before.id)}
          >
            <Icon name="left" />
          </button>
          <button
            type="button"
            class="only-icon"
            aria-label={common('next')}
            aria-disabled={!after}
            onClick={() => after && show(after.id)}
          >
            <Icon name="right" />
          </button>
          <span class="documents-space" />
          <a class="button" href={recordAddress(screen, doc.id)}>
            {t('details')}
          </a>
          <a class="button" href={downloadAddress(doc)} download>
            <Icon name="download" />
            {t('download')}
          </a>
          <button type="button" onClick={close}>
            {common('close')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** Shows the raw text, never markup. */
function Text({ doc }: { doc: Doc }) {
  const text = useSignal<string | undefined>(undefined)
  const failed = useSignal(false)
  useEffect(() => {
    const ending = new AbortController()
    fetch(contentAddress(doc), { signal: ending.signal })
      .then(async (reply) => {
        if (!reply.ok) throw new Error(String(reply.status))
        text.value = await reply.text()
      })
      .catch(() => (failed.value = !ending.signal.aborted))
    return () => ending.abort()
  }, [])
  if (failed.value) return <p class="quiet">{t('noPreview')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
    <pre tabIndex={0} aria-label={doc.title}>
      {text.value ?? common('loading')}
    </pre>
  )
}
