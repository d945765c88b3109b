/** A day of attendance: the user's own check-in and check-out, and everybody's for users who may see it. */

import { ApiError } from '#console/client/api.ts'
import { useEvents } from '#console/client/events.ts'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { later, today } from '#console/client/screens/days.ts'
import { listAddress, may, summaryOf } from '#console/client/screens/shape.ts'
import { t as common } from '#console/client/texts/texts.ts'
import { Everybody } from './everybody.tsx'
import { Recent, You } from './own.tsx'
import { t } from './texts.ts'

const TWO_WEEKS = 13

export default function AttendanceDay() {
  const mine = useAnswer('/me/attendance-records', { date_from: later(today(), -TWO_WEEKS), per_page: '20' })
  useEvents('attendance_record', changed)
  const mayView = may(['attendance.view'])
  const records = summaryOf('attendance-records')
  const isSelf = mine.answer !== undefined
  const isRefused = mine.error instanceof ApiError && mine.error.status === 403
  return (
    <ScreenFrame
      title={t('title')}
      tools={
        mayView && records ? (
          <a class="button" href={listAddress(records)}>
            {t('records')}
          </a>
        ) : undefined
      }
    >
      <div class="attendance-day">
        {isSelf ? (
          <div class="attendance-own">
            <You />
            <Recent records={mine.answer!.data} />
          </div>
        ) : isRefused ? (
          !mayView && (
            <div class="empty">
              <h2>{t('noSelf')}</h2>
              <p class="quiet">{t('noSelfSays')}</p>
            </div>
          )
        ) : mine.error ? (
          <Trouble error={mine.error} again={mine.again} />
        ) : (
          <p class="quiet" aria-busy="true">
            {common('loading')}
          </p>
        )}
        {mayView && <Everybody />}
      </div>
    </ScreenFrame>
  )
}
