/** Detects formula errors (`#N/A`) in a file's cells. */

/** Formula errors of Excel, LibreOffice and Google Sheets, in the languages in which their CSV files occur. */
const ERRORS = new Set(
  `#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #SPILL! #CALC! #FIELD! #BLOCKED! #CONNECT! #UNKNOWN! #EXTERNAL! #BUSY! #PYTHON! #TIMEOUT! #ERROR!
  #NV #WERT! #BEZUG! #ZAHL! #ÜBERLAUF! #KALK! #FELD! #BLOCKIERT! #VERBINDEN! #UNBEKANNT! #DATEN_ABRUFEN
  #N/D #N/D! #VALEUR! #NOM? #NOMBRE! #NUL! #CHAMP! #CALCUL! #PROPAGATION!
  #¡VALOR! #¡REF! #¡DIV/0! #¡NUM! #¿NOMBRE? #¡NULO! #¡DESBORDAMIENTO! #¡CALC!
  #VALORE! #RIF! #NOME? #NULLO! #ESPANSIONE! #VALOR! #NÚM! #NULO!
  #N/B #WAARDE! #VERW! #NAAM? #GETAL! #DEEL/0! #LEEG! #OVERLOOP!
  #ARG! #ADR! #NAZWA? #LICZBA! #DZIEL/0! #ZERO!
  #I/T #SAKNAS! #VÄRDEFEL! #REFERENS! #NAMN? #DIVISION/0! #OGILTIGT! #VÆRDI! #REFERENCE! #NAVN? #VERDI!
  #Н/Д #ЗНАЧ! #ССЫЛКА! #ИМЯ? #ДЕЛ/0! #ЧИСЛО! #ПУСТО!`.split(/\s+/),
)

/** Text of a formula's cell whose value the file doesn't hold, as programs write it that don't calculate. */
export const UNCALCULATED = '#UNCALCULATED!'

const isError = (text: string) => text.length <= 20 && (ERRORS.has(text) || /^Err:\d{3}$/.test(text))

/** Returns a cell's name in a spreadsheet: `AB12` for column 27 (zero-based) of row 12. */
function cellName(column: number, row: number): string {
  let letters = ''
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26)) letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters + row
}

/** Returns what is wrong with a cell that holds an error of a formula, or a formula without its value; undefined for any other one. */
export function cellError(cell: string | undefined, column: number, row: number): string | undefined {
  const text = cell?.trim()
  if (text === UNCALCULATED)
    return `Cell ${cellName(column, row)} has a formula without its value. Open the file in a spreadsheet program, and save it there.`
  return text && isError(text)
    ? `Cell ${cellName(column, row)} has the error ${text} of a formula instead of a value. Correct it in the file, or empty the cell.`
    : undefined
}
