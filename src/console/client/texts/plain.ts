/** Technical text: field names in backticks, status codes. */
const TECHNICAL = /`|\b4\d\d\b/
/** A placeholder that users type as written. */
const PLACEHOLDER = /`(\{\{[^`]*\}\})`/g
const IN_BRACKETS = / ?\([^()]*\)/g

/**
 * Removes technical sentences from the API's description of a field or action. Where all of them are technical, removes only the
 * backticks.
 */
export function plain(english: string): string {
  const sentences = english
    .replace(PLACEHOLDER, '$1')
    .replace(/[;,]? ?null: [^.;]*/gi, '')
    .replace(IN_BRACKETS, (said) => (TECHNICAL.test(said) ? '' : said))
    .replaceAll('Unless sent', 'Left empty')
    .split(/(?<=\.) /)
  const shown = sentences.filter((one) => !TECHNICAL.test(one))
  return (shown.length ? shown : sentences).join(' ').replaceAll('`', '')
}
