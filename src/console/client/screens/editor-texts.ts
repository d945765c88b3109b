/** What the editor of lines, and the preview beside a form, say. */
import { textsOf } from '../texts/texts.ts'

export const say = textsOf({
  en: {
    preview: 'Preview',
    page: 'Page {n} of {count}',
    left_out: 'Pages {from} to {to} are not shown here.',
    drawing: 'Drawing …',
    waits_for: 'The preview follows once this is right: {fields}.',
    not_drawn: 'The preview can’t be drawn: {why}',
    sum: 'Line total',
    keys: 'Enter: next line. Alt with ↑ or ↓: move the line; with Shift and ↓: copy it; with Delete: remove it. Rows from a spreadsheet can be pasted.',
    copy_line: 'Duplicate line {n}',
    drag_line: 'Drag to move',
    more: 'More',
    more_of: 'More of line {n}',
    removed: 'Line {n} is removed.',
    pasted: '{n} lines pasted.',
    pasted_some: '{n} lines pasted, {left} left out: there may be {most}.',
  },
  de: {
    preview: 'Vorschau',
    page: 'Seite {n} von {count}',
    left_out: 'Die Seiten {from} bis {to} sind hier nicht gezeigt.',
    drawing: 'Wird gezeichnet …',
    waits_for: 'Die Vorschau folgt, sobald das stimmt: {fields}.',
    not_drawn: 'Die Vorschau kann nicht gezeichnet werden: {why}',
    sum: 'Zeilensumme',
    keys: 'Eingabe: nächste Zeile. Alt mit ↑ oder ↓: Zeile verschieben; mit Umschalt und ↓: kopieren; mit Entf: entfernen. Zeilen aus einer Tabelle lassen sich einfügen.',
    copy_line: 'Zeile {n} duplizieren',
    drag_line: 'Ziehen zum Verschieben',
    more: 'Mehr',
    more_of: 'Mehr zu Zeile {n}',
    removed: 'Zeile {n} ist entfernt.',
    pasted: '{n} Zeilen eingefügt.',
    pasted_some: '{n} Zeilen eingefügt, {left} ausgelassen: es dürfen {most} sein.',
  },
})
