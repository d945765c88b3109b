import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'
import { listAddress, may, type Screen, summaryOf } from './shape.ts'

/** Returns the address where the user can create a record: its form, or the import that creates it. */
export function newPlace(screen: Screen, to = `${listAddress(screen)}/new`): string | undefined {
  const from = summaryOf(screen.begun?.import_of)
  if (from && may(screen.begun!.allow)) return from.may_create ? `${listAddress(from)}/import` : undefined
  return screen.create && may(screen.create.allow) ? to : undefined
}

export const NewLink = ({ screen, to }: { screen: Screen; to?: string }) => {
  const place = newPlace(screen, to)
  return place ? (
    <a class="button primary" href={place}>
      <Icon name="plus" />
      {t('newOne', { noun: screen.noun })}
    </a>
  ) : null
}
