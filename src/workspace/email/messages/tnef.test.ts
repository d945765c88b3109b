import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { tnefOf } from '#test/tnef.ts'
import { textOfRtf } from './rtf.ts'
import { readTnef } from './tnef.ts'

const content = Buffer.from('content')
const file = tnefOf({ files: [{ name: 'ä.txt', mime: 'text/plain', content }], text: 'plain', html: '<p>ü</p>' })

it('reads the files and texts of winmail.dat', () => {
  const { files, ...texts } = readTnef(file)!
  assert.deepEqual(files, [{ name: 'ä.txt', mime: 'text/plain', contentId: '', content }])
  assert.deepEqual([texts.text, texts.html, texts.rtf], ['plain', '<p>ü</p>', undefined])
})

it('takes nothing out of what is cut off, changed or something else', () => {
  for (let size = 0; size < file.length - 2; size++) {
    const read = readTnef(file.subarray(0, size))
    assert.ok(read === undefined || read.files.every((one) => one.content.equals(content)), `${size}`)
  }
  const broken = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(broken, (changes) => {
      const bytes = Buffer.from(file)
      for (const [at, byte] of changes) if (at > 3) bytes[at] = byte
      readTnef(bytes)
    }),
  )
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void textOfRtf(Buffer.from(bytes))))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readTnef(Buffer.concat([file.subarray(0, 6), bytes]))))
})

it('reads compressed RTF', () => {
  // The examples of MS-OXRTFCP, 3.1 and 3.2.
  assert.equal(
    textOfRtf(
      Buffer.from('2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0', 'hex'),
    ),
    'hello world',
  )
  assert.equal(
    textOfRtf(Buffer.from('1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0', 'hex')),
    'WXYZWXYZWXYZWXYZWXYZ',
  )
})

it('reads RTF made of HTML, with characters of every kind', () => {
  const rtf = `{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 {\\fonttbl{\\f0 Arial;}}{\\*\\htmltag64 <p>}\\'c4\\'e0, \\u8364?\\{5\\}\\line{\\b bold} \\uc2\\u8211xx.\\par\\tab end}`
  const wrapped = readTnef(tnefOf({ rtf }))!.rtf!
  assert.equal(textOfRtf(wrapped), 'Да, €{5}\nbold –.\n\tend')
})
