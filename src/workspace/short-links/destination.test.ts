import assert from 'node:assert/strict'
import { it } from 'node:test'
import { targetOf } from './destination.ts'

const none = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null }
const leads = (destination_url: string, utm: object, to: string) =>
  assert.equal(targetOf({ destination_url, ...none, ...utm }), to)

it('adds utm fields to any address (SL-24)', () => {
  leads('https://a.test', { utm_source: 'mail' }, 'https://a.test/?utm_source=mail')
  leads('https://a.test/x?', { utm_source: 'mail' }, 'https://a.test/x?utm_source=mail')
  leads('https://a.test/x#top', { utm_medium: 'a b&c' }, 'https://a.test/x?utm_medium=a%20b%26c#top')
  leads(
    'http://a.test:8080/?a=1',
    { utm_term: 'ü', utm_content: '😀' },
    'http://a.test:8080/?a=1&utm_term=%C3%BC&utm_content=%F0%9F%98%80',
  )
  leads(
    'https://bücher.example/ä?ö=ü',
    { utm_source: "o'n" },
    'https://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC&utm_source=o%27n',
  )
})

it('replaces those of the same name, however they are written', () => {
  leads('https://a.test/?utm_source=x&b=2&utm_source=y', { utm_source: 'z' }, 'https://a.test/?b=2&utm_source=z')
  leads('https://a.test/?utm%5Fsource=x&utm_source', { utm_source: 'z' }, 'https://a.test/?utm_source=z')
  leads('https://a.test/?utm_source=&utm_medium=m', { utm_medium: 'n' }, 'https://a.test/?utm_source=&utm_medium=n')
})

it('leaves everything else as it was written', () => {
  const query = '?flag&empty=&a=b%20c+d&sig=%2f%2B==&broken=%zz&a=2&&UTM_SOURCE=up'
  leads(`https://a.test/${query}`, { utm_source: 's' }, `https://a.test/${query}&utm_source=s`)
  for (const whole of [`https://a.test/${query}#f?x=1`, 'https://a.test', 'HTTPS://A.test/x']) leads(whole, {}, whole)
  leads('https://a.test/a b"c', {}, 'https://a.test/a%20b%22c')
})
