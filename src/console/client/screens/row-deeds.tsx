/** What can be done with a row that has no page of its own: with a key, a line of a list below a record. */
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { needs } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import type { Asked } from './actions.tsx'
import { type Action, type Download, type Form, fileAddress, filled, lacking, type Row } from './shape.ts'

interface Deeds {
  edit: Form | null
  remove: Form | null
  actions: Action[]
  /** The file that a row is; left out where rows are none. */
  download?: Download | null
}

/** Whether there is anything to offer, whoever may. */
export const hasDeeds = ({ edit, remove, actions, download }: Deeds) =>
  edit !== null || remove !== null || actions.length > 0 || !!download

/** `keys`: what stands for the parameters of the paths, the row's own last. */
export function RowDeeds({
  deeds: { edit, remove, actions, download },
  row,
  name,
  keys,
  ask,
}: {
  deeds: Deeds
  row: Row
  name: string
  keys: unknown[]
  ask: (asked: Asked) => void
}) {
  const at = <F extends Form>(form: F): F => ({ ...form, path: filled(form.path, ...keys) })
  const why = ({ allow }: Pick<Form, 'allow'>) => {
    const missing = lacking(allow)
    return missing.length ? needs(missing) : undefined
  }
  return (
    <Menu name={t('actionsOn', { name })} kind="plain only-icon" label={<Icon name="more" />}>
      {download && (
        <Item why={why(download)} act={() => location.assign(fileAddress(filled(download.path, ...keys)))}>
          <Icon name="download" />
          {t('download')}
        </Item>
      )}
      {edit && (
        <Item why={why(edit)} act={() => ask({ action: { ...at(edit), label: t('edit') }, row, isEdit: true })}>
          {t('edit')}
        </Item>
      )}
      {actions.map((action) => (
        <Item
          key={action.key}
          why={why(action)}
          kind={action.is_danger ? 'danger' : undefined}
          act={() => ask({ action: at(action), row })}
        >
          {action.label}
        </Item>
      ))}
      {remove && (
        <Item
          kind="danger"
          why={why(remove)}
          act={() =>
            ask({ action: { ...at(remove), label: t('delete'), description: t('deleteForGoodSays'), is_danger: true }, row })
          }
        >
          {t('delete')}
        </Item>
      )}
    </Menu>
  )
}
