/** Notification list: each entry has its event, its record and a link. */
import { useEffect } from 'preact/hooks'
import { arrivals, type Notification } from '#console/client/events.ts'
import { News, NewsDeeds } from '#console/client/frame/notifications.tsx'
import { Answered, Empty } from '#console/client/parts/answered.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { useAnswer } from '#console/client/screens/data.ts'
import { drawnList, ListTools } from '#console/client/screens/drawn-list.tsx'
import { Filters } from '#console/client/screens/filters.tsx'
import { queryOf } from '#console/client/screens/list-query.ts'
import { Pages } from '#console/client/screens/pages.tsx'
import type { Screen } from '#console/client/screens/shape.ts'
import { t } from '#console/client/texts/texts.ts'

export default drawnList(Told)

function Told({ screen }: { screen: Screen }) {
  const query = queryOf(screen)
  const told = useAnswer(screen.path, query)
  const last = arrivals.value
  useEffect(() => {
    if (last) told.again()
  }, [last])
  const isFiltered = screen.list.filters.some(({ name }) => name in query)
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <ListTools screen={screen} query={query}>
          <NewsDeeds />
        </ListTools>
      }
    >
      <Filters screen={screen} query={query} />
      <Answered of={told}>
        {({ data, meta }: { data: Notification[]; meta?: any }) =>
          data.length > 0 ? (
            <>
              <News all={data} />
              <Pages meta={meta} shown={data.length} />
            </>
          ) : isFiltered ? (
            <Empty title={t('emptyFound')} says={t('emptyFoundSays')} />
          ) : (
            <p class="quiet">{t('notificationsNone')}</p>
          )
        }
      </Answered>
    </ScreenFrame>
  )
}
