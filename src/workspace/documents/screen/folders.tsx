/** Categories as folders next to the files; each accepts dropped files. */
import { useSignal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { AskingForm } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { TextField } from '#console/client/parts/field.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed } from '#console/client/screens/data.ts'
import { listAddress, may, type Screen, summaryOf } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { t as common } from '#console/client/texts/texts.ts'
import { type Folder, folderAddress, openFolder } from './document.ts'
import { t } from './texts.ts'

interface Props {
  screen: Screen
  folders: Folder[]
  counts: { total: number; uncategorized: number } | undefined
  /** Id of the folder that a dragged document is over. */
  held: string | undefined
  /** Called with files dropped on a folder; undefined if uploads aren't allowed. */
  drop: ((event: DragEvent, folder: Folder | undefined) => void) | undefined
}

export function Folders({ screen, folders, counts, held, drop }: Props) {
  const isNew = useSignal(false)
  const over = useSignal<number | 'none' | undefined>(undefined)
  const here = openFolder()
  const all = summaryOf('document-categories')
  const entry = (name: string, to: number | 'none' | undefined, count?: number, folder?: Folder) => (
    <li key={String(to)}>
      <a
        href={folderAddress(screen, to)}
        aria-current={here === to ? 'page' : undefined}
        data-column={to}
        class={to !== undefined && (over.value === to || held === String(to)) ? 'documents-over' : undefined}
        draggable={false}
        onDragOver={(event) => {
          if (!drop || to === undefined) return
          event.preventDefault()
          event.stopPropagation()
          over.value = to
        }}
        onDragLeave={() => (over.value = undefined)}
        onDrop={(event) => {
          over.value = undefined
          if (to !== undefined) drop?.(event, folder)
        }}
      >
        <span class="documents-name">{name}</span>
        {count !== undefined && <span class="quiet numbers">{counted.format(count)}</span>}
      </a>
    </li>
  )
  return (
    <nav class="documents-folders" aria-label={t('folders')}>
      <ul>
        {entry(t('allFiles'), undefined, counts?.total)}
        {folders.map((folder) => entry(folder.name, folder.id, undefined, folder))}
        {entry(t('unfiled'), 'none', counts?.uncategorized)}
      </ul>
      {may(['documents.create']) && (
        <button type="button" class="plain" onClick={() => (isNew.value = true)}>
          {t('newFolder')}
        </button>
      )}
      {all && (
        <a class="button plain" href={listAddress(all)}>
          {t('editFolders')}
        </a>
      )}
      {isNew.value && (
        <Dialog title={t('newFolder')} close={() => (isNew.value = false)}>
          <div class="dialog-body">
            <AskingForm
              button={common('createButton')}
              send={async ({ name }) => {
                await call('post', '/document-categories', { body: { name } })
                isNew.value = false
                tell(t('folderMade', { name: name ?? '' }))
                changed()
              }}
            >
              {(errors) => (
                <TextField
                  label={t('folderName')}
                  name="name"
                  required
                  maxLength={255}
                  errors={errors.name ?? errors.slug}
                  autofocus
                />
              )}
            </AskingForm>
          </div>
        </Dialog>
      )}
    </nav>
  )
}
