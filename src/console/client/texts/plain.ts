/** Of programs: the names of fields as they are sent, statuses of replies. */
const TECHNICAL = /`|\b4\d\d\b/
/** Is typed by people, as it is written. */
const PLACEHOLDER = /`(\{\{[^`]*\}\})`/g
const IN_BRACKETS = / ?\([^()]*\)/g

/** What of the API's description of a field or an action is for people; all of it, without the marks of code, where each sentence is for programs too. */
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
