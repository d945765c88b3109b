/** Hostile texts for code that interprets texts. */
export const TEXTS: string[] = [
  ...nothing(),
  ...characters(),
  ...code(),
  ...names(),
  ...values(),
  ...addresses(),
  ...['x'.repeat(256), 'x'.repeat(10_000), 'é'.repeat(70_000)],
]

function nothing() {
  return [
    '',
    ' ',
    '\t',
    '\n',
    '\u00a0',
    '\u200b',
    '\ufeff',
    '\0',
    'a\0b',
    '\u0001\u001f\u007f',
    '\ufffe\uffff',
    '\u2028\u2029\u0085',
  ]
}

/** Lone surrogates, right to left, joined, stacked, unusual case folding, other digits. */
function characters() {
  const stacked = `Z${'\u0335'.repeat(2000)}`
  const accents = 'e\u0301'.repeat(40)
  const family = '👩‍👩‍👧‍👦'.repeat(30)
  return ['\ud800', 'a\udc00b', '\u202egnp.exe', 'a\u200b\u200d\u2060b', accents, stacked, family, 'İıſKﬁß', 'مرحبا שלום', '١٢٣']
}

/** SQL, patterns, HTML, XML, mail and HTTP headers, templates. */
function code() {
  const sql = [
    "'; DROP TABLE users; --",
    "' OR 1=1 --",
    "\\'",
    '"',
    '`',
    '\\',
    '%',
    '_',
    '%_%',
    '%s%n%x',
    '$1',
    '::regclass',
    'a & b | !c:*',
  ]
  const html = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<![CDATA[x]]>', '&#0;', '<p>'.repeat(5000)]
  const xml = ['<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>']
  const lines = ['a\r\nSet-Cookie: x=1', 'a\nBcc: victim@example.test', 'a\r\n\r\n.\r\nQUIT']
  const call = '{{constructor.constructor("return process")()}}'
  return [
    ...sql,
    ...html,
    ...xml,
    ...lines,
    call,
    '#{7*7}',
    '<%= 7*7 %>',
    '{{7*7}}',
    '{{ lead.name',
    '#set page(width: 1pt)',
    '$ x $',
  ]
}

/** Names of files, of object properties, of empty values. */
function names() {
  const files = ['../../../../etc/passwd', '..\\..\\x', '/dev/zero', 'C:\\con', '.', '..', 'a/b', '%2e%2e%2f', '%00', '%zz']
  const objects = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '{"a":1}', '[1,2]', '"x"']
  return [...files, ...objects, 'null', 'undefined', 'true', 'off']
}

/** Formulas, and invalid or excessive numbers. */
function values() {
  const formulas = ["=cmd|' /C calc'!A0", '+1+1', '-1', '@SUM(1)', '\t=1']
  const numbers = ['NaN', 'Infinity', '-Infinity', '-0', '1e308', '1e-400', '0x1F', '1_000', '1,5', ' 1 ', '9223372036854775808']
  const long = ['9'.repeat(400), '0'.repeat(100), `0.${'0'.repeat(200)}1`]
  return [...formulas, ...numbers, ...long, 'EUR ', 'eur', 'Europe/Nowhere', 'UTC', '+25:00', 'en_US.UTF-8', 'zz']
}

function addresses() {
  const inside = [
    'http://169.254.169.254/',
    'http://localhost:1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
  ]
  const odd = ['http://[::1', 'https://u:p@h.test/', '//h.test', 'http://a..b', 'https://xn--a', 'ftp://h.test']
  const mail = ['a@b', 'a@b.test,c@d.test', '"a b"@example.test', 'a@[127.0.0.1]', 'ä@ö.test', 'Name <a@b.test>']
  return [...inside, ...odd, ...mail, `${'a'.repeat(300)}@example.test`]
}
