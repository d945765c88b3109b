import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { hasSettings, listAddress, pageAddress, pages, startAddress, summaryOf, told } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

/** Link to a screen or page. */
export interface Link {
  key: string
  title: string
  icon: string | null
  to: string
  /** Prefix of the addresses that belong to it. */
  base: string
}

export interface Place {
  /** The page next to the lists, or else the screen with the module's name, or its first screen. */
  main: Link
  /** Further links. */
  more: Link[]
}

/**
 * Modules by group, each with the screens that the user may see. Modules without a group, which manage the workspace itself, come
 * last.
 */
export const groups = [...Map.groupBy(told.modules ?? [], ({ category }) => category)]
  .map(([title, modules]) => ({
    title,
    places: modules.flatMap(({ key: module, screens }): Place[] => {
      const lists = screens
        .flatMap((key) => summaryOf(key) ?? [])
        .toSorted((a, b) => Number(b.key === module) - Number(a.key === module))
        .map((screen): Link => ({ ...screen, to: startAddress(screen), base: listAddress(screen) }))
      const own = pages
        .filter((page) => page.module === module)
        .map((page) => ({ ...page, to: pageAddress(page), base: pageAddress(page) }))
      const named = lists.filter(({ key }) => key === module)
      const beside = named.length ? own.filter(({ is_beside }) => is_beside) : []
      const first: Link[] = [...own.filter((page) => !beside.includes(page)), ...named, ...beside]
      const [main, ...more] = [...first, ...lists.filter((list) => !named.includes(list))]
      return main ? [{ main, more }] : []
    }),
  }))
  .filter(({ places }) => places.length)
  .toSorted((a, b) => Number(a.title === null) - Number(b.title === null))

export const SETTINGS = `${boot.realm?.path}/settings`

const isHere = ({ base }: Link) => `${at.value.pathname}/`.startsWith(`${base}/`)

const To = ({ link }: { link: Link }) => (
  <li>
    <a href={link.to} aria-current={isHere(link) ? 'page' : undefined}>
      {link.title}
    </a>
  </li>
)

/** Link of a module; its other lists are shown only while the user is in it. */
function ToModule({ main, more }: Place) {
  const isIn = [main, ...more].some(isHere)
  return (
    <>
      <To link={main} />
      {isIn && more.length > 0 && (
        <li>
          <ul class="more">
            {more.map((link) => (
              <To key={link.key} link={link} />
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
