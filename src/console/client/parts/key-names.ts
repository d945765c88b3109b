/** Keys as they are called: on a Mac by its sign, in German as German keyboards have them. */
import { language } from '../texts/texts.ts'

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
const isGerman = language === 'de'
export const CONTROL = isMac ? '⌘' : isGerman ? 'Strg' : 'Ctrl'
export const SHIFT = isGerman ? 'Umschalt' : 'Shift'
export const ENTER = isGerman ? 'Eingabe' : 'Enter'
export const DELETE = isGerman ? 'Entf' : 'Del'
