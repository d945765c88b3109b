/** What can be done with a row that has no page of its own: with a key, a line of a list below a record. */
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { needs } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import type { Asked } from './actions.tsx'
import { type Action, type Form, filled, lacking, type Row } from './shape.ts'

interface Deeds {
  edit: Form | null
  remove: Form | null
  actions: Action[]
}

/** Whether there is anything to offer, whoever may. */
export const hasDeeds = ({ edit, remove, actions }: Deeds) => edit !== null || remove !== null || actions.length > 0

/** `keys`: what stands for the parameters of the paths, the row's own last. */
export function RowDeeds({
  deeds: { edit, remove, actions },
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
  const why = ({ allow }: Form) => {
    const missing = lacking(allow)
    return missing.length ? needs(missing) : undefined
  }
  return (
    <Menu name={t('actionsOn', { name })} kind="plain only-icon" label={<Icon name="more" />}>
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
