/**
 * HTML of messages, made harmless: no scripts, forms, frames, foreign styles. Remote images tell the sender that somebody reads, so their
 * address waits in `data-remote-src` until the reader wants them.
 */
import sanitize from 'sanitize-html'

const WAITING = 'data-remote-src'

/** Values of CSS properties that load nothing and reach out of nothing. */
const plain = [/^(?!.*(url|expression|image|var)\s*\()[\w\s.,%#()'"!-]{1,200}$/i]
const PROPERTIES = [
  ...[
    'color',
    'background-color',
    'font',
    'font-family',
    'font-size',
    'font-style',
    'font-weight',
    'line-height',
    'letter-spacing',
  ],
  ...['text-align', 'text-decoration', 'text-transform', 'vertical-align', 'white-space', 'width', 'max-width', 'height'],
  ...['padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left'],
  ...['margin', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left'],
  ...['border', 'border-top', 'border-right', 'border-bottom', 'border-left', 'border-collapse', 'border-radius', 'border-color'],
]

const layout = [
  'align',
  'valign',
  'width',
  'height',
  'bgcolor',
  'border',
  'cellpadding',
  'cellspacing',
  'colspan',
  'rowspan',
  'dir',
]

const OPTIONS: sanitize.IOptions = {
  allowedTags: [
    ...[
      'p',
      'br',
      'hr',
      'div',
      'span',
      'center',
      'font',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'blockquote',
      'pre',
      'code',
      'address',
    ],
    ...['strong', 'b', 'em', 'i', 'u', 's', 'strike', 'del', 'ins', 'small', 'big', 'sub', 'sup', 'mark', 'a', 'img'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  allowedAttributes: {
    '*': ['style', ...layout],
    a: ['href', 'title', 'rel', 'target'],
    img: ['src', 'alt', 'title', WAITING],
    font: ['color', 'face', 'size'],
  },
  allowedStyles: { '*': Object.fromEntries(PROPERTIES.map((property) => [property, plain])) },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', WAITING],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 100,
}

const anchor = sanitize.simpleTransform('a', { rel: 'noopener noreferrer nofollow', target: '_blank' })
const isRemote = (address: string) => /^\s*https?:/i.test(address)

/** Pictures in the text itself; others, such as SVG, may hold more than a picture. */
const isPicture = (address: string) =>
  !/^\s*data:/i.test(address) || /^\s*data:image\/(png|jpe?g|gif|webp);base64,/i.test(address)

const image =
  (remote: 'wait' | 'load'): sanitize.Transformer =>
  (tagName, { src = '', [WAITING]: waiting = '', ...attribs }) => {
    const address = src || waiting
    if (!address || !isPicture(address)) return { tagName, attribs }
    const isWaiting = remote === 'wait' && isRemote(address)
    return { tagName, attribs: { ...attribs, [isWaiting ? WAITING : 'src']: address } }
  }

const withImages = (html: string, remote: 'wait' | 'load') =>
  sanitize(html.toWellFormed().replaceAll('\0', ''), { ...OPTIONS, transformTags: { a: anchor, img: image(remote) } }).trim()

/** As it is stored and shown. */
export const harmlessHtml = (html: string) => withImages(html, 'wait')

/** With its remote images: for whoever wants to see them, and for those to whom it is sent. */
export const htmlWithImages = (html: string) => withImages(html, 'load')
