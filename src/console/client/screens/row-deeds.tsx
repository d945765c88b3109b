/** Actions on a row without its own page, such as a key or a line of a record's sub-list. */
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
  /** File of the row; omitted where rows have none. */
  download?: Download | null
}

/** Returns whether there is any action, regardless of permissions. */
export const hasDeeds = ({ edit, remove, actions, download }: Deeds) =>
  edit !== null || remove !== null || actions.length > 0 || !!download

/** `keys`: values of the paths' parameters, the row's own last. */
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
