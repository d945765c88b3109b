/** Documents as files in folders: previewed, renamed, moved by dragging or by a menu, and uploaded by dropping them anywhere. */
import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { at, go } from '#console/client/addresses.ts'
import { call } from '#console/client/api.ts'
import { Answered, Empty } from '#console/client/parts/answered.tsx'
import { AskingForm } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { TextField } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Item, Menu } from '#console/client/parts/menu.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Uploads, upload } from '#console/client/parts/uploads.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { contentAddress, downloadAddress, hasThumbnail } from '#console/client/screens/documents.ts'
import { useDragging } from '#console/client/screens/dragging.ts'
import { drawnList, ListTools } from '#console/client/screens/drawn-list.tsx'
import { Filters } from '#console/client/screens/filters.tsx'
import { queryOf } from '#console/client/screens/list-query.ts'
import { NewLink } from '#console/client/screens/new-link.tsx'
import { Pages } from '#console/client/screens/pages.tsx'
import { SortHead } from '#console/client/screens/rows.tsx'
import { listAddress, may, recordAddress, type Screen } from '#console/client/screens/shape.ts'
import { sizeText } from '#console/client/screens/sizes.ts'
import { needs } from '#console/client/texts/labels.ts'
import { t as common } from '#console/client/texts/texts.ts'
import { type Doc, dayText, type Folder, kindOf, openFolder } from './document.ts'
import { Folders } from './folders.tsx'
import { Preview } from './preview.tsx'
import { t } from './texts.ts'

const PREVIEW = /^#file-(\d{1,15})$/
const LAYOUT = 'atrium.documents.layout'
const isTiles = signal(localStorage.getItem(LAYOUT) === 'tiles')

const preview = (id: number | undefined) => {
  const url = new URL(at.value)
  url.hash = id === undefined ? '' : `file-${id}`
  go(url.href, { replace: id === undefined || PREVIEW.test(at.value.hash) })
}

export default drawnList(Files)

/** Title of a new document: its file's name without the extension. */
const titleOf = (name: string) => (name.replace(/\.[^.]+$/, '').trim() || name).slice(0, 255)

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

function Files({ screen }: { screen: Screen }) {
  const query = queryOf(screen)
  const found = useAnswer(screen.path, query)
  const stats = useAnswer(screen.stats ?? undefined)
  const categories = useAnswer('/document-categories', { per_page: '100', is_active: 'true' })
  const box = useRef<HTMLDivElement>(null)
  const lifted = useSignal<string | undefined>(undefined)
  const held = useSignal<string | undefined>(undefined)
  const isOver = useSignal(false)
  const renaming = useSignal<Doc | undefined>(undefined)
  const chooser = useRef<HTMLInputElement>(null)
  const folders: Folder[] = categories.answer?.data ?? []
  const here = openFolder()
  const folder = typeof here === 'number' ? here : undefined
  const folderName = folders.find(({ id }) => id === folder)?.name
  const [mayUpload, mayChange, mayRemove] = [may(['documents.create']), may(['documents.update']), may(['documents.delete'])]
  const most = screen.create?.fields.find(({ kind }) => kind === 'file')?.max_bytes
  const opened = Number(PREVIEW.exec(at.value.hash)?.[1])

  const attempt = (work: () => Promise<void>) =>
    work()
      .catch((failed) => tell((failed as Error).message))
      .finally(changed)
  const move = (doc: Doc, to: Folder | undefined, isBack = false) => {
    const from = doc.category ? { ...doc.category, is_active: true } : undefined
    if (!isBack && from?.id === to?.id) return
    void attempt(async () => {
      const { data } = await call('put', `/documents/${doc.id}`, { body: { category_id: to?.id ?? null } })
      const name = to?.name ?? t('unfiled')
      tell(
        t('movedTo', { name: doc.title, folder: name }),
        isBack ? undefined : { label: common('undo'), run: () => move({ ...doc, ...data }, from, true) },
      )
    })
  }
  const restore = (doc: Doc) =>
    void attempt(async () => {
      await call('post', `/documents/${doc.id}/restore`, { body: {} })
      tell(common('restored', { name: doc.title }))
    })
  const remove = (doc: Doc) =>
    void attempt(async () => {
      await call('delete', `/documents/${doc.id}`)
      tell(
        common('deleted', { name: doc.title }),
        may(['documents.restore']) ? { label: common('undo'), run: () => restore(doc) } : undefined,
      )
    })
  const rename = async (doc: Doc, title: string) => {
    await call('put', `/documents/${doc.id}`, { body: { title } })
    tell(t('renamed', { name: title }), {
      label: common('undo'),
      run: () => void attempt(async () => void (await call('put', `/documents/${doc.id}`, { body: { title: doc.title } }))),
    })
    changed()
  }
  const send = (files: FileList | null | undefined, into: number | undefined) =>
    files &&
    upload(files, {
      ...{ name: screen.key, path: screen.path, maxBytes: most },
      bodyOf: ({ name }) => ({ title: titleOf(name), ...(into === undefined ? {} : { category_id: into }) }),
    })
  const dropOn = (event: DragEvent, to: Folder | undefined) => {
    event.preventDefault()
    event.stopPropagation()
    isOver.value = false
    if (hasFiles(event)) send(event.dataTransfer?.files, to?.id)
  }
  useDragging(box, {
    may: () => mayChange,
    lift: (key) => {
      lifted.value = key
      held.value = undefined
    },
    over: (to) => (held.value = to),
    drop(key, to) {
      const doc = (found.answer?.data as Doc[] | undefined)?.find(({ id }) => String(id) === key)
      const folder = folders.find(({ id }) => String(id) === to)
      if (doc && (folder || to === 'none')) move(doc, folder)
    },
  })
  // Listens on the whole window: a file dropped elsewhere would replace the page.
  useEffect(() => {
    if (!mayUpload) return
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      isOver.value = true
    }
    const onLeave = (event: DragEvent) => {
      if (!event.relatedTarget) isOver.value = false
    }
    const onDrop = (event: DragEvent) =>
      hasFiles(event) &&
      dropOn(
        event,
        folders.find(({ id }) => id === folder),
      )
    addEventListener('dragover', onOver)
    addEventListener('dragleave', onLeave)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onOver)
      removeEventListener('dragleave', onLeave)
      removeEventListener('drop', onDrop)
    }
  })
  const keysOf = (event: KeyboardEvent, doc: Doc) => {
    if (event.key === 'F2' && mayChange) renaming.value = doc
    else if (event.key === 'Delete' && mayRemove) remove(doc)
    else return
    event.preventDefault()
  }
  const movable = (doc: Doc) => ({
    'data-key': doc.id,
    onKeyDown: (event: KeyboardEvent) => keysOf(event, doc),
  })
  const named = (doc: Doc) => (
    <a
      class="documents-title"
      href={recordAddress(screen, doc.id)}
      aria-keyshortcuts={[mayChange && 'F2', mayRemove && 'Delete'].filter(Boolean).join(' ') || undefined}
      draggable={false}
    >
      {doc.title}
    </a>
  )
  const looking = (doc: Doc) => ({
    type: 'button' as const,
    'aria-haspopup': 'dialog' as const,
    'aria-label': t('previewOf', { name: doc.title }),
    onClick: () => preview(doc.id),
  })
  const lacks = (permission: string) => (may([permission]) ? undefined : needs([permission]))
  const menu = (doc: Doc) => (
    <Menu name={t('menuOf', { name: doc.title })} kind="plain only-icon" label={<Icon name="more" />}>
      <Item act={() => preview(doc.id)}>{t('preview')}</Item>
      <Item act={() => location.assign(downloadAddress(doc))}>{t('download')}</Item>
      <Item act={() => go(recordAddress(screen, doc.id))}>{t('details')}</Item>
      <Item why={lacks('documents.update')} act={() => (renaming.value = doc)}>
        {t('rename')}
      </Item>
      {mayChange && (
        <>
          <hr />
          <div class="group">{t('moveTo')}</div>
          {folders.map((to) => (
            <Item key={to.id} checked={doc.category_id === to.id} act={() => move(doc, to)}>
              {to.name}
            </Item>
          ))}
          <Item checked={doc.category_id === null} act={() => move(doc, undefined)}>
            {t('unfiled')}
          </Item>
        </>
      )}
      <hr />
      <Item kind="danger" why={lacks('documents.delete')} act={() => remove(doc)}>
        {t('delete')}
      </Item>
    </Menu>
  )
  const choose = (tiles: boolean) => {
    isTiles.value = tiles
    localStorage.setItem(LAYOUT, tiles ? 'tiles' : 'list')
  }
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <ListTools screen={screen} query={query}>
            <fieldset class="documents-layouts">
              <legend class="unseen">{t('layout')}</legend>
              {[false, true].map((tiles) => (
                <button
                  key={String(tiles)}
                  type="button"
                  class="plain only-icon"
                  aria-label={t(tiles ? 'asTiles' : 'asList')}
                  aria-pressed={isTiles.value === tiles}
                  onClick={() => choose(tiles)}
                >
                  <Icon name={tiles ? 'board' : 'list'} />
                </button>
              ))}
            </fieldset>
          </ListTools>
          {mayUpload && (
            <>
              <input
                ref={chooser}
                type="file"
                multiple
                hidden
                aria-label={t('upload')}
                onChange={({ currentTarget }) => {
                  send(currentTarget.files, folder)
                  currentTarget.value = ''
                }}
              />
              <button type="button" onClick={() => chooser.current!.click()}>
                <Icon name="upload" />
                {t('upload')}
              </button>
            </>
          )}
          <NewLink screen={screen} to={`${listAddress(screen)}/new${folder ? `?category_id=${folder}` : ''}`} />
        </>
      }
    >
      <div class={`documents-all${lifted.value ? ' documents-lifting' : ''}`} ref={box}>
        <Folders
          screen={screen}
          folders={folders}
          counts={stats.answer?.data}
          held={held.value}
          drop={mayUpload ? dropOn : undefined}
        />
        <div class="documents-files">
          <Filters screen={screen} query={query} without={['category_id', 'status']} />
          {mayUpload && most && (
            <p class="hint documents-limits">{t('uploadSays', { formats: t('formats'), size: sizeText(most) })}</p>
          )}
          <Uploads name={screen.key} />
          {isOver.value && (
            <p class="documents-drop" role="status">
              {folderName ? t('dropInto', { folder: folderName }) : t('dropHere')}
            </p>
          )}
          <Answered of={found}>
            {({ data: docs, meta }: { data: Doc[]; meta: any }) =>
              docs.length === 0 ? (
                <Empty title={t('none')} says={mayUpload ? t('noneSays') : common('emptyFoundSays')} />
              ) : (
                <>
                  {isTiles.value ? (
                    <ul class="documents-tiles" aria-label={screen.title}>
                      {docs.map((doc) => (
                        <li key={doc.id} {...movable(doc)}>
                          <button {...looking(doc)} class="documents-face" data-grip>
                            <Face doc={doc} />
                          </button>
                          <div class="documents-under">
                            {named(doc)}
                            {menu(doc)}
                          </div>
                          <small class="quiet">
                            {[kindOf(doc), sizeText(doc.size_bytes)].filter(Boolean).join(' · ')}
                            {doc.category && folder === undefined ? ` · ${doc.category.name}` : ''}
                          </small>
                        </li>
                      ))}
                    </ul>
                  ) : (
                    <section class="table-wrap" aria-label={screen.title}>
                      <table class="stacked documents-list">
                        <thead>
                          <tr>
                            <SortHead by="title" label={t('title')} query={query} />
                            <th scope="col">{t('folder')}</th>
                            <SortHead by="size_bytes" label={t('size')} query={query} isNumeric />
                            <th scope="col">{t('by')}</th>
                            <SortHead by="updated_at" label={t('changedAt')} query={query} />
                            <th scope="col">
                              <span class="unseen">{common('actions')}</span>
                            </th>
                          </tr>
                        </thead>
                        <tbody>
                          {docs.map((doc) => (
                            <tr key={doc.id} {...movable(doc)}>
                              <th scope="row">
                                <button {...looking(doc)} class="plain documents-look">
                                  <Icon name="document" />
                                </button>
                                <span class="documents-kind">{kindOf(doc)}</span>
                                {named(doc)}
                              </th>
                              <td>{doc.category?.name}</td>
                              <td class="numbers">{sizeText(doc.size_bytes)}</td>
                              <td class="quiet">{doc.creator?.name}</td>
                              <td class="quiet">
                                <time dateTime={doc.updated_at}>{dayText(doc.updated_at)}</time>
                              </td>
                              <td class="documents-more">{menu(doc)}</td>
                            </tr>
                          ))}
                        </tbody>
                      </table>
                    </section>
                  )}
                  <Pages meta={meta} shown={docs.length} />
                </>
              )
            }
          </Answered>
        </div>
      </div>
      {opened && found.answer ? (
        <Preview screen={screen} docs={found.answer.data} id={opened} show={preview} close={() => preview(undefined)} />
      ) : null}
      {renaming.value && (
        <Dialog title={t('renameOf', { name: renaming.value.title })} close={() => (renaming.value = undefined)}>
          <div class="dialog-body">
            <AskingForm
              button={t('rename')}
              send={async ({ title = '' }) => {
                await rename(renaming.value!, title.trim())
                renaming.value = undefined
              }}
            >
              {(errors) => (
                <TextField
                  label={t('title')}
                  name="title"
                  required
                  maxLength={255}
                  defaultValue={renaming.value!.title}
                  errors={errors.title}
                  autofocus
                />
              )}
            </AskingForm>
          </div>
        </Dialog>
      )}
    </ScreenFrame>
  )
}

/** Thumbnail of a file, or else its type. */
function Face({ doc }: { doc: Doc }) {
  return (
    <>
      {hasThumbnail(doc) ? (
        <img src={contentAddress(doc)} alt="" loading="lazy" decoding="async" draggable={false} />
      ) : (
        <Icon name="document" />
      )}
    </>
  )
}
