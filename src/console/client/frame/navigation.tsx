import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { hasSettings, listAddress, type Summary, startAddress, summaryOf, told } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

export interface Place {
  /** What the module is named for, or its first screen. */
  main: Summary
  /** Its lists beside that. */
  more: Summary[]
}

/** The modules by their groups, each with the screens that somebody may see. Those without a group, which keep the workspace itself, come last. */
export const groups = [...Map.groupBy(told.modules ?? [], ({ category }) => category)]
  .map(([title, modules]) => ({
    title,
    places: modules.flatMap(({ key: module, screens }): Place[] => {
      const [main, ...more] = screens
        .flatMap((key) => summaryOf(key) ?? [])
        .toSorted((a, b) => Number(b.key === module) - Number(a.key === module))
      return main ? [{ main, more }] : []
    }),
  }))
  .filter(({ places }) => places.length)
  .toSorted((a, b) => Number(a.title === null) - Number(b.title === null))

const SETTINGS = `${boot.realm?.path}/settings`

const isHere = (screen: Summary) => `${at.value.pathname}/`.startsWith(`${listAddress(screen)}/`)

const To = ({ screen }: { screen: Summary }) => (
  <li>
    <a href={startAddress(screen)} aria-current={isHere(screen) ? 'page' : undefined}>
      {screen.title}
    </a>
  </li>
)

/** A module; its other lists are folded away until somebody is in it. */
function ToModule({ main, more }: Place) {
  const isIn = [main, ...more].some(isHere)
  return (
    <>
      <To screen={main} />
      {isIn && more.length > 0 && (
        <li>
          <ul class="more">
            {more.map((screen) => (
              <To key={screen.key} screen={screen} />
            ))}
          </ul>
        </li>
      )}
    </>
  )
}

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
    {groups.map(({ title, places }) => (
      <details key={title} open>
        <summary>{title ?? t('administration')}</summary>
        <ul>
          {places.map((place) => (
            <ToModule key={place.main.key} {...place} />
          ))}
          {title === null && hasSettings && (
            <li>
              <a href={SETTINGS} aria-current={at.value.pathname === SETTINGS ? 'page' : undefined}>
                {t('settings')}
              </a>
            </li>
          )}
        </ul>
      </details>
    ))}
  </nav>
)
