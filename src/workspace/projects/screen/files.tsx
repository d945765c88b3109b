/** Documents of a project: upload, preview and download. */
import { useSignal } from '@preact/signals'
import { useEvents } from '#console/client/events.ts'
import { Answered } from '#console/client/parts/answered.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Uploads, upload } from '#console/client/parts/uploads.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { contentAddress, downloadAddress, hasThumbnail, isPicture, type Stored } from '#console/client/screens/documents.ts'
import { listAddress, type Row, recordAddress, summaryOf } from '#console/client/screens/shape.ts'
import { sizeText } from '#console/client/screens/sizes.ts'
import { counted } from '#console/client/screens/values.tsx'
import { t as common } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

const SHOWN = '100'

export function Files({ project }: { project: Row }) {
  const screen = summaryOf('documents')!
  const query = { project_id: String(project.id) }
  const told = useAnswer(screen.path, { ...query, per_page: SHOWN })
  useEvents(screen.resource, changed)
  const target = `project ${project.id}`
  const add = (files: Iterable<File>) =>
    upload(files, {
      ...{ name: target, path: screen.path },
      bodyOf: ({ name }) => ({ title: name.slice(0, 255), project_ids: [project.id] }),
    })
  const isOver = useSignal(false)
  const looked = useSignal<Stored | undefined>(undefined)
  const files = (told.answer?.data ?? []) as Stored[]
  const total = Number(told.answer?.meta?.total ?? files.length)
  return (
    <section>
      <div class="head projects-head">
        <h2>
          {t('files')} {total > 0 && <span class="quiet">{counted.format(total)}</span>}
        </h2>
        <div class="tools">
          <a class="button plain" href={`${listAddress(screen)}?${new URLSearchParams(query)}`}>
            {screen.title}
          </a>
          {screen.may_create && (
            <a class="button plain" href={`${listAddress(screen)}/new?project_ids=${project.id}`}>
              <Icon name="plus" />
              {common('newOne', { noun: screen.noun })}
            </a>
          )}
        </div>
      </div>
      {screen.may_create && (
        <div
          class={isOver.value ? 'drop projects-drop over' : 'drop projects-drop'}
          role="group"
          aria-label={t('dropFiles')}
          onDragOver={(event) => {
            event.preventDefault()
            isOver.value = true
          }}
          onDragLeave={() => {
            isOver.value = false
          }}
          onDrop={(event) => {
            event.preventDefault()
            isOver.value = false
            add(event.dataTransfer?.files ?? [])
          }}
        >
          <label class="projects-choose">
            <span>{t('dropFiles')}</span>
            <input
              type="file"
              multiple
              aria-label={t('chooseFiles')}
              onChange={({ currentTarget }) => {
                add([...(currentTarget.files ?? [])])
                currentTarget.value = ''
              }}
            />
          </label>
        </div>
      )}
      <Uploads name={target} />
      <Answered of={told}>{() => !files.length && <p class="quiet">{t('noFiles')}</p>}</Answered>
      <ul class="projects-files">
        {files.map((file) => (
          <li key={file.id}>
            {isPicture(file) ? (
              <button
                type="button"
                class="plain projects-look"
                aria-label={t('preview', { name: file.title })}
                onClick={() => {
                  looked.value = file
                }}
              >
                {hasThumbnail(file) ? (
                  <img src={contentAddress(file)} alt="" loading="lazy" width="40" height="40" />
                ) : (
                  <Icon name="search" />
                )}
              </button>
            ) : (
              <span class="projects-look">
                <Icon name="document" />
              </span>
            )}
            <div class="about">
              <a class="title" href={recordAddress(screen, file.id)}>
                {file.title}
              </a>
              <small class="quiet">
                {file.original_name === file.title ? '' : `${file.original_name} · `}
                {sizeText(file.size_bytes)}
                {file.creator?.name ? ` · ${file.creator.name}` : ''}
              </small>
            </div>
            <a
              class="button plain only-icon"
              href={downloadAddress(file)}
              download
              aria-label={t('downloadOf', { name: file.title })}
            >
              <Icon name="download" />
            </a>
          </li>
        ))}
      </ul>
      {looked.value && (
        <Dialog
          title={looked.value.title}
          kind="projects-preview"
          close={() => {
            looked.value = undefined
          }}
        >
          <div class="dialog-body">
            <img src={contentAddress(looked.value)} alt={looked.value.title} />
            <div class="dialog-foot">
              <a class="button" href={downloadAddress(looked.value)} download>
                <Icon name="download" />
                {t('download')}
              </a>
              <button
                type="button"
                onClick={() => {
                  looked.value = undefined
                }}
              >
                {t('close')}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </section>
  )
}
