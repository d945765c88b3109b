/** Dialog with the keyboard shortcuts. */
import { Dialog } from '../parts/dialog.tsx'
import { CONTROL, DELETE, ENTER, SHIFT } from '../parts/key-names.ts'
import { textsOf } from '../texts/texts.ts'

const t = textsOf({
  en: {
    title: 'Keyboard',
    palette: 'Commands, records and screens',
    send: 'Send the form that you are in',
    close: 'Close what is open above the page',
    menu: 'Walk a menu; a letter finds in it',
    chart: 'Walk the values of a chart',
    card: 'Go from card to card on a board',
    lift: 'Pick a card up and put it down',
    move: 'Move a card to the next column',
    assign: 'Assign a card to somebody',
    line: 'Move a line of a document',
    copy: 'Copy a line',
    drop: 'Remove a line',
    rename: 'Rename a document',
    space: 'Space',
  },
  de: {
    title: 'Tastatur',
    palette: 'Befehle, Einträge und Ansichten',
    send: 'Das Formular absenden, in dem Sie sind',
    close: 'Schließen, was über der Seite offen ist',
    menu: 'Durch ein Menü gehen; ein Buchstabe findet darin',
    chart: 'Durch die Werte eines Diagramms gehen',
    card: 'Auf einem Board von Karte zu Karte gehen',
    lift: 'Eine Karte aufnehmen und ablegen',
    move: 'Eine Karte in die nächste Spalte verschieben',
    assign: 'Eine Karte jemandem zuweisen',
    line: 'Eine Zeile eines Belegs verschieben',
    copy: 'Eine Zeile kopieren',
    drop: 'Eine Zeile entfernen',
    rename: 'Ein Dokument umbenennen',
    space: 'Leertaste',
  },
})

const KEYS = [
  ['palette', CONTROL, 'K'],
  ['send', CONTROL, ENTER],
  ['close', 'Esc'],
  ['menu', '↑', '↓'],
  ['chart', '←', '→'],
  ['card', '←', '→'],
  ['lift', t('space')],
  ['move', 'Alt', '→'],
  ['assign', 'A'],
  ['line', 'Alt', '↓'],
  ['copy', 'Alt', SHIFT, '↓'],
  ['drop', 'Alt', DELETE],
  ['rename', 'F2'],
] as const

export const Keys = ({ close }: { close: () => void }) => (
  <Dialog title={t('title')} close={close}>
    <dl class="dialog-body keys">
      {KEYS.map(([what, ...keys]) => (
        <div key={what}>
          <dt>{t(what)}</dt>
          <dd>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
