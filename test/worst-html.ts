/** HTML of any length that is slow for parsers and sanitisers. */

const REPEATED = [
  ...[
    '<div>',
    '<b>',
    '<td>',
    '<li>',
    '<p>',
    '</p>',
    '<br>',
    '<x>',
    '<svg>',
    '<math><mi>',
    '<svg><style>',
    '<option>',
    '<iframe>',
  ],
  ...['<', '&', '&lt;', '&#x', '<!--', '<![CDATA[', '<?', ' ', '\n', '\u00a0', 'a', '"', '{{a}}', '('],
  ...[
    '<b></b>',
    '<b></i>',
    '<b>x',
    '<b>x</i>y',
    '<ul><li>x',
    '<ol><li>x',
    '<table><tr><td>x',
    '<td><b>x</b>',
    '<a href="',
    '<a href="x">',
  ],
  ...['<p style="color:red">x', '<img src="https://a.test/b">', '<p><noscript></p>', '<h1>x'],
]

/** Returns samples of about this many characters. */
export function worstHtml(length: number): [name: string, html: string][] {
  const times = (text: string, rest = 0) => text.repeat(Math.floor((length - rest) / text.length))
  const nested = Math.floor(length / 13)
  const inside: [string, string][] = [
    ['spaces in <pre>', `<pre>a${times(' ', 20)}x</pre>`],
    ['line ends in <pre>', `<pre>a${times('\n', 20)}x</pre>`],
    ['an address', `<a href="${times('x', 20)}">a</a>`],
    ['comments in an address', `<a href="${times('<!---->', 20)}">a</a>`],
    ['a picture', `<img src="data:image/png;base64,${times('A', 40)}!">`],
    ...['color:red;', '{', '/*', "'", 'color:(', 'color:url ', '\\', '!'].map((text): [string, string] => [
      `${text} in a style`,
      `<p style="${times(text, 20)}">a</p>`,
    ]),
    ['many attributes', `<a ${Array.from({ length: length / 6 }, (_, n) => `a${n.toString(36)}`).join(' ')}>x</a>`],
    ['tags that end', `${'<div>x'.repeat(nested)}${'</div>y'.repeat(nested)}`],
    ['ends of nothing', `${'<div>'.repeat(length / 10)}${'</i>'.repeat(length / 8)}`],
  ]
  return [...REPEATED.map((text): [string, string] => [text, times(text)]), ...inside]
}
