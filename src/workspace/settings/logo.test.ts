/** Uploaded logo of a workspace: PNG, or SVG rewritten from harmless elements. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { formOf, type Person, startTest, type Workspace } from '#test/harness.ts'
import { cleanSvg } from './svg.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  firm = await world.workspace({ name: 'Acme', modules: ['quotations'] })
  owner = firm.owner
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const svg = (inside: string, attributes = 'viewBox="0 0 40 20"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`
const put = (content: Buffer | string, by = owner) =>
  by.put('/settings/logo', formOf({ file: new File([new Uint8Array(Buffer.from(content))], 'logo') }))
const shown = async () => (await owner.get('/settings/logo')).body.data.logo_url as string | null
const serve = async () => world.root.get((await shown())!.slice('http://atrium.test'.length))
const files = () => world.sql(`SELECT state, mime FROM stored_files WHERE tenant_id = $1 AND state = 'kept'`, [firm.id])

describe('a logo', () => {
  it('is seen and changed by those who may see and change settings', async () => {
    const viewer = await firm.user(['settings.view'])
    const blind = await firm.user([])
    assert.deepEqual([(await viewer.get('/settings/logo')).status, (await put(png, viewer)).status], [200, 403])
    assert.deepEqual([(await blind.get('/settings/logo')).status, (await blind.del('/settings/logo')).status], [403, 403])
    assert.equal((await world.anonymous.get('/settings/logo')).status, 401)
  })

  it('is a PNG, or an SVG, is served as what it is, replaced, and removed', async () => {
    assert.equal((await put(png)).status, 200)
    const first = await serve()
    assert.deepEqual([first.headers['content-type'], first.raw.equals(png)], ['image/png', true])
    assert.equal(
      (await put(`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y">${svg('<rect width="40" height="20"/>')}`)).status,
      200,
    )
    const second = await serve()
    assert.deepEqual(
      [second.headers['content-type'], second.headers['content-security-policy']],
      ['image/svg+xml', "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
    )
    assert.match(second.raw.toString(), /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 40 20"><rect/)
    assert.deepEqual(await files(), [{ state: 'kept', mime: 'image/svg+xml' }])
    const { body } = await owner.del('/settings/logo')
    assert.deepEqual([body.data.logo_url, await files()], [null, []])
    assert.equal((await owner.del('/settings/logo')).status, 200)
  })

  it('stands on documents, on the page of an offer and in its mail', async () => {
    await put(svg('<circle cx="20" cy="10" r="9" fill="teal"/>'))
    const url = (await shown())!
    const { id } = (await owner.post('/quotations', { title: 'Desks' })).body.data
    await owner.post(`/quotations/${id}/send`)
    assert.equal((await owner.get(`/quotations/${id}/pdf`)).status, 200)
    const link = (await owner.post(`/quotations/${id}/acceptance-link`)).body.data.url as string
    world.secret(link.split('/').at(-1)!)
    const page = (await world.root.get(link.slice('http://atrium.test'.length))).raw.toString()
    assert.ok(page.includes(url.replaceAll('&', '&amp;')))
    await owner.del('/settings/logo')
    assert.equal((await owner.get(`/quotations/${id}/pdf`)).status, 200)
    assert.equal((await world.root.get(url.slice('http://atrium.test'.length))).status, 200, 'a document was issued with it')
  })

  it('is refused when it is something else, too large, or broken, and leaves no file', async () => {
    const before = await files()
    const large = (width: number) => {
      const head = Buffer.from(png)
      head.writeUInt32BE(width, 16)
      return head
    }
    const wrong: { about: string; content: Buffer | string }[] = [
      { about: 'nothing', content: '' },
      { about: 'text', content: 'Hello' },
      { about: 'a JPEG', content: Buffer.from('/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////', 'base64') },
      { about: 'HTML', content: '<html><script>alert(1)</script></html>' },
      { about: 'another XML', content: '<?xml version="1.0"?><rss/>' },
      { about: 'a wide PNG', content: large(5001) },
      { about: 'half a PNG', content: png.subarray(0, 40) },
      { about: 'a PNG of rubbish', content: Buffer.concat([png.subarray(0, 41), deflateSync(Buffer.alloc(10))]) },
      { about: 'too much', content: Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]) },
    ]
    for (const { about, content } of wrong) {
      const { status, body } = await put(content)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['file']], about)
    }
    assert.equal((await owner.put('/settings/logo', {})).status, 422)
    assert.deepEqual(await files(), before)
  })

  it('that holds more than a picture is refused', async () => {
    const id = '<g id="a"><rect width="1" height="1"/></g>'
    const wrong = [
      '<script>alert(1)</script>',
      '<SCRIPT>alert(1)</SCRIPT>',
      '<rect onload="alert(1)"/>',
      '<foreignObject><p>x</p></foreignObject>',
      '<image href="https://evil.test/x.png"/>',
      '<image href="data:image/png;base64,AAAA"/>',
      '<a href="https://evil.test"><rect/></a>',
      `${id}<use href="https://evil.test/x.svg#a"/>`,
      `${id}<use xlink:href="//evil.test/x.svg#a"/>`,
      '<rect style="fill:url(https://evil.test/x)"/>',
      '<rect fill="url(&quot;https://evil.test/x&quot;)"/>',
      '<style>@import "https://evil.test/x.css";</style>',
      '<style>rect { fill: u\\72l(x) }</style>',
      '<style><![CDATA[@font-face { src: url(x) }]]></style>',
      '<animate attributeName="href" to="javascript:alert(1)"/>',
      '<set attributeName="onload" to="alert(1)"/>',
      '<filter id="f"><feImage href="https://evil.test"/></filter>',
      `<g id="b"><use href="#a"/></g>${id}<use href="#b"/>`,
      '<use href="#s" id="s"/>',
      '<g>'.repeat(60),
      '<rect/>'.repeat(5001),
    ].map((inside) => svg(inside))
    wrong.push(
      `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg('<text>&a;</text>')}`,
      `<?xml-stylesheet href="https://evil.test/x.css"?>${svg('')}`,
      svg('', ''),
      svg('', 'viewBox="0 0 100000 1"'),
    )
    const wrongly = await put(wrong[0]!)
    assert.deepEqual([wrongly.status, Object.keys(wrongly.body.errors!)], [422, ['file']])
    for (const one of wrong) assert.ok('wrong' in cleanSvg(one), one.slice(0, 200))
  })

  it('loses what only drawing programs need', () => {
    const drawn = svg(
      `<metadata><rdf:RDF/></metadata><sodipodi:namedview x="1"><script/></sodipodi:namedview>
      <style>.a{fill:#fff}</style><g inkscape:label="x" class="a"><path d="M0 0L1 1"/><text>A &amp; B &lt;</text></g>`,
    )
    const clean = cleanSvg(drawn)
    assert.ok('svg' in clean, JSON.stringify(clean))
    assert.match(
      clean.svg,
      /<style>.a\{fill:#fff\}<\/style><g class="a"><path d="M0 0L1 1"><\/path><text>A &#38; B &#60;<\/text><\/g>/,
    )
    assert.doesNotMatch(clean.svg, /rdf|sodipodi|inkscape|script/)
    assert.deepEqual(cleanSvg(clean.svg), clean, 'twice is once')
  })
})
