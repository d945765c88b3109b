/** Times of day in the workspace's time zone, in the API's format: `09:00:00`. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { boot } from '#console/client/boot.ts'
import { atUtc } from '#console/client/screens/days.ts'
import { locale } from '#console/client/screens/values.tsx'
import { t } from './texts.ts'

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: boot.me?.workspace?.timezone ?? 'UTC',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const shownTime = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' })
const shownDay = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' })

const TICK_MS = 10_000

/** Returns the current time in the workspace's time zone, from the browser's clock, updated every few seconds. */
export function useClock(): string {
  const now = useSignal(clock.format(new Date()))
  useEffect(() => {
    const timer = setInterval(() => (now.value = clock.format(new Date())), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now.value
}

export const secondsOf = (time: string) => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}
export const timeText = (time: string) => shownTime.format(new Date(`1970-01-01T${time.length === 5 ? `${time}:00` : time}Z`))
export const dayText = (day: string) => shownDay.format(atUtc(day))
export const wholeDayText = (day: string) => wholeDay.format(atUtc(day))

const DAY_SECONDS = 86_400

/** Seconds between two times of one day or of two consecutive days; 0 if the clock was set back. */
export const between = (from: string, to: string, endsNextDay = false) =>
  Math.max(0, secondsOf(to) - secondsOf(from) + (endsNextDay ? DAY_SECONDS : 0))
export const durationText = (seconds: number) => {
  const minutes = Math.floor(seconds / 60)
  return t('elapsed', { hours: Math.floor(minutes / 60), minutes: String(minutes % 60).padStart(2, '0') })
}
/** Formats a check-out; one on the day after its record: `06:00 +1`. */
export const departureText = ({ check_out, ends_next_day }: { check_out?: any; ends_next_day?: any }) =>
  ends_next_day ? t('nextDayTime', { time: timeText(check_out) }) : timeText(check_out)
/** Formats hours for a column of numbers: `8:04`. */
export const hoursText = (seconds: number) => {
  const minutes = Math.floor(seconds / 60)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}
