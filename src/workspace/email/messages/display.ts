/**
 * Sanitises HTML of messages: removes scripts, forms, frames and foreign styles. Remote images reveal to the sender that the mail
 * is read, so their address moves to `data-remote-src` until the reader requests them.
 */
import type sanitize from 'sanitize-html'
import { onDemand } from '#kernel/on-demand.ts'
import { depthLimited, MAX_DEPTH } from '#kernel/values/html-depth.ts'

const sanitizer = onDemand<typeof sanitize>('sanitize-html')

const WAITING = 'data-remote-src'

/** Allowed CSS properties. */
const PROPERTIES = new Set([
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
])

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
  parseStyleAttributes: false, // see harmlessStyle
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', WAITING],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: MAX_DEPTH,
}

/** Maximum characters of an attribute; longer ones are dropped. Image data is exempt. */
const MAX_ADDRESS = 8192
const MAX_STYLE = 8192
const MAX_STYLE_VALUE = 200

/**
 * Keeps declarations that load nothing and stay within the message. Values have no character that could end a declaration, so
 * splitting needs no CSS parser. A parser takes longer for a style than all the rest for its tag.
 */
function harmlessStyle(style: string): string {
  if (style.length > MAX_STYLE) return ''
  return style
    .split(';')
    .flatMap((declaration) => {
      const colon = declaration.indexOf(':')
      const property = declaration.slice(0, colon).trim().toLowerCase()
      const value = declaration.slice(colon + 1).trim()
      const isKept = colon > 0 && PROPERTIES.has(property) && isPlain(value)
      return isKept ? [`${property}:${value}`] : []
    })
    .join(';')
}

const isPlain = (value: string) =>
  value.length <= MAX_STYLE_VALUE && /^[\w\s.,%#()'"!-]+$/.test(value) && !/(url|expression|image|var)\s*\(/i.test(value)

const styled: sanitize.Transformer = (tagName, { style, ...attribs }) => {
  const kept = style && harmlessStyle(style)
  return { tagName, attribs: kept ? { ...attribs, style: kept } : attribs }
}

const anchor: sanitize.Transformer = (tagName, { href, ...attribs }) => ({
  tagName,
  attribs: {
    ...(href !== undefined && href.length <= MAX_ADDRESS ? { href } : {}),
    ...attribs,
    ...{ rel: 'noopener noreferrer nofollow', target: '_blank' },
  },
})

const isRemote = (address: string) => /^\s*https?:/i.test(address)

/** Allowed as embedded data are image formats only: others, such as SVG, may contain more than an image. */
const isPicture = (address: string) =>
  /^\s*data:/i.test(address)
    ? /^\s*data:image\/(png|jpe?g|gif|webp);base64,[\w+/=\s%-]*$/i.test(address)
    : address.length <= MAX_ADDRESS

/** Remote images `wait` until the reader requests them, or `load`, as in mails that are sent. */
export type Images = 'wait' | 'load'

const image =
  (images: Images): sanitize.Transformer =>
  (tagName, { src = '', [WAITING]: waiting = '', ...attribs }) => {
    const address = src || waiting
    if (!address || !isPicture(address)) return { tagName, attribs }
    const isWaiting = images === 'wait' && isRemote(address)
    return { tagName, attribs: { ...attribs, [isWaiting ? WAITING : 'src']: address } }
  }

/** Takes time linear in the length of the HTML. */
export const harmlessHtml = ({ html, images }: { html: string; images: Images }) =>
  sanitizer()(html.toWellFormed().replaceAll('\0', ''), {
    ...OPTIONS,
    parser: depthLimited(),
    transformTags: { a: anchor, img: image(images), '*': styled },
  }).trim()
