/** Names of keys: symbols on a Mac, German names for German keyboards. */
import { language } from '../texts/texts.ts'

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
const isGerman = language === 'de'
export const CONTROL = isMac ? '⌘' : isGerman ? 'Strg' : 'Ctrl'
export const SHIFT = isGerman ? 'Umschalt' : 'Shift'
export const ENTER = isGerman ? 'Eingabe' : 'Enter'
export const DELETE = isGerman ? 'Entf' : 'Del'
