import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { listAddress, type Summary, summaryOf, told } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

/** The modules by their groups, each with the screens that somebody may see. */
export const groups = [...Map.groupBy(told.modules ?? [], ({ category }) => category)].map(([title, modules]) => ({
  title,
  screens: modules.flatMap(({ key: module, screens }) =>
    // What the module is named for comes first.
    screens.flatMap((key) => summaryOf(key) ?? []).toSorted((a, b) => Number(b.key === module) - Number(a.key === module)),
  ),
}))

const isHere = (screen: Summary) => `${at.value.pathname}/`.startsWith(`${listAddress(screen)}/`)

export const Navigation = () => (
  <nav aria-label={t('modules')}>
    <ul>
      <li>
        <a
          href={`${boot.realm!.path}/`}
          aria-current={at.value.pathname.replace(/\/$/, '') === boot.realm!.path ? 'page' : undefined}
        >
          {t('home')}
        </a>
      </li>
    </ul>
    {groups
      .filter(({ screens }) => screens.length)
      .map(({ title, screens }) => (
        <>
          {title && <h2>{title}</h2>}
          <ul>
            {screens.map((screen) => (
              <li key={screen.key}>
                <a href={listAddress(screen)} aria-current={isHere(screen) ? 'page' : undefined}>
                  {screen.title}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
  </nav>
)
