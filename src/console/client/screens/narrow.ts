/** Whether the window is a phone's: a table is cards there, a month a list of days. */
import { signal } from '@preact/signals'

const phone = matchMedia('(max-width: 767px)')
export const isNarrow = signal(phone.matches)
phone.addEventListener('change', () => (isNarrow.value = phone.matches))
