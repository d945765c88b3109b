import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'
import { listAddress, may, type Screen } from './shape.ts'

/** The way to the form of a new record, for whoever may make one. */
export const NewLink = ({ screen, to = `${listAddress(screen)}/new` }: { screen: Screen; to?: string }) =>
  screen.create && may(screen.create.allow) ? (
    <a class="button primary" href={to}>
      <Icon name="plus" />
      {t('newOne', { noun: screen.noun })}
    </a>
  ) : null
