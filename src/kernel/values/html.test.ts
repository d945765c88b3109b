import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { worstHtml } from '#test/worst-html.ts'
import { blocksOf, MAX_ON_LOOP, optionalHtml, plainOf, sanitizeHtml, sanitizeLong, withSanitized } from './html.ts'
import { MAX_DEPTH } from './html-depth.ts'

describe('formatted text', () => {
  it('keeps what is harmless', () => {
    const html = '<h2>Terms</h2><p>Pay in <strong>30</strong> days.<br />Thanks</p><ul><li>one</li></ul>'
    assert.equal(sanitizeHtml(html), html)
  })

  it('loses what could act, fetch or dress up', () => {
    const cases: { sent: string; kept: string }[] = [
      { sent: '<p onclick="x()" style="position:fixed" class="a">Hi</p>', kept: '<p>Hi</p>' },
      { sent: '<script>alert(1)</script>a', kept: 'a' },
      { sent: '<style>*{}</style>a', kept: 'a' },
      { sent: '<img src=x onerror=alert(1)>a', kept: 'a' },
      { sent: '<a href="javascript:alert(1)">a</a>', kept: '<a rel="noopener noreferrer nofollow">a</a>' },
      { sent: '<a href="//evil.test">a</a>', kept: '<a rel="noopener noreferrer nofollow">a</a>' },
      { sent: '<a href="https://ok.test">a</a>', kept: '<a href="https://ok.test" rel="noopener noreferrer nofollow">a</a>' },
      { sent: '<svg><script>1</script></svg>a', kept: 'a' },
      { sent: '<iframe src="https://x.test"></iframe>a', kept: 'a' },
      { sent: '1 < 2 & 3', kept: '1 &lt; 2 &amp; 3' },
      { sent: '<p>open', kept: '<p>open</p>' },
    ]
    for (const { sent, kept } of cases) assert.equal(sanitizeHtml(sent), kept, sent)
  })

  it('of no text is none', () => {
    for (const blank of ['', '  ', '<p> </p>', '<p><br></p>', '<script>1</script>', '<img src="x">'])
      assert.equal(optionalHtml().parse(blank), null, blank)
    assert.equal(optionalHtml().parse('<p>a</p>'), '<p>a</p>')
    assert.equal(optionalHtml(3).safeParse('<p>').success, true)
    assert.equal(optionalHtml(3).safeParse('<p>a').success, false)
  })

  it('becomes blocks for paper', () => {
    const html =
      '<h1>A</h1><p>x <b>y</b><br>z</p><ol><li>one<ul><li>in</li></ul></li><li>two</li></ol><hr><blockquote>q</blockquote>'
    assert.deepEqual(blocksOf(html), [
      { kind: 'heading', level: 1, runs: [{ text: 'A' }] },
      { kind: 'paragraph', level: 1, runs: [{ text: 'x ' }, { text: 'y', bold: true }, { text: '\n' }, { text: 'z' }] },
      { kind: 'item', level: 1, marker: '1.', runs: [{ text: 'one' }] },
      { kind: 'item', level: 2, marker: '•', runs: [{ text: 'in' }] },
      { kind: 'item', level: 1, marker: '2.', runs: [{ text: 'two' }] },
      { kind: 'rule' },
      { kind: 'quote', level: 1, runs: [{ text: 'q' }] },
    ])
    assert.deepEqual(blocksOf('<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>'), [
      { kind: 'row', head: true, cells: [[{ text: 'A', bold: true }]] },
      { kind: 'row', head: false, cells: [[{ text: '1' }], [{ text: '2' }]] },
    ])
  })

  it('becomes plain text', () => {
    assert.equal(plainOf('<p>a &lt;b&gt; &amp; c</p><ul><li>d</li></ul>'), 'a <b> & c\n• d')
  })

  it('below the greatest depth keeps its text, and what follows is where it was', () => {
    const [open, close] = ['<div>'.repeat(MAX_DEPTH - 1), '</div>'.repeat(MAX_DEPTH - 1)]
    const deep = `${open}<p>a<b>b<i>c</i></b><br>d<style>no text</style></p>${close}<p>e</p>`
    assert.equal(plainOf(sanitizeHtml(deep)), 'abcd\ne')
    assert.match(sanitizeHtml(deep), /abcd(<\/div>)+<p>e<\/p>$/)
  })

  it('that is long throws unless a child sanitised it before', () => {
    const [short, long] = [MAX_ON_LOOP, MAX_ON_LOOP + 1].map((length) => 'a'.repeat(length))
    assert.equal(optionalHtml().parse(short), short)
    for (const read of [() => optionalHtml().parse(long), () => sanitizeHtml(long!)])
      assert.throws(read, /must be sanitised in a child process/)
    assert.equal(
      withSanitized(new Map([[long!, 'clean']]), () => optionalHtml().parse(long)),
      'clean',
    )
  })

  it('of any depth is read in time that is linear in its length', () => {
    const read = (html: string) => {
      const before = process.threadCpuUsage()
      const clean = sanitizeLong(html)
      withSanitized(new Map([[html, clean]]), () => optionalHtml(1e7).parse(html))
      blocksOf(clean)
      plainOf(html)
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000
    }
    const [small, large] = [worstHtml(32_000), worstHtml(128_000)]
    for (const [n, [name, html]] of small.entries()) {
      const before = Math.max(read(html), 25) // short times are too noisy for the growth
      const isQuick = () => read(large[n]![1]) < Math.min(8 * before, 1000)
      assert.ok(isQuick() || isQuick(), `${name}: ${before} ms for a fourth of it`) // other work may run on this machine
    }
  })
})
