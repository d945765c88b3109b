/** Whether the window has a phone's width: tables become cards, a month becomes a list of days. */
import { signal } from '@preact/signals'

const phone = matchMedia('(max-width: 767px)')
export const isNarrow = signal(phone.matches)
phone.addEventListener('change', () => (isNarrow.value = phone.matches))
