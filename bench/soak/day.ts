/** Everyday work of a company's users, one action after the other, in fixed shares. */
import type { Answer, Api } from '../neighbours/api.ts'

/** User with a separate session, because many routes are limited per user. */
export interface Person {
  api: Api
  /** Counter for naming created records. */
  count: number
}

/** Existing data of a company. */
export interface Firm {
  /** Code of the short link that its redirects use. */
  code: string
  vendors: number[]
  invoices: number[]
  orders: number[]
}

interface Deed {
  name: string
  /** Share per thousand actions. */
  share: number
  /** Expected status. Default: 200. */
  answers?: number
  act(person: Person, firm: Firm): Promise<Answer>
}

const any = <T>(some: T[]): T => some[Math.floor(Math.random() * some.length)]!
const LISTS = ['invoices', 'purchase-orders', 'contacts', 'leads', 'tasks', 'payments', 'products', 'quotations']
const WORDS = ['bakery', 'market', 'oak', 'jensen', 'delivery']
const lines = (n: number) =>
  Array.from({ length: 3 }, (_, m) => ({ name: `Desk ${n}.${m}`, quantity: 1 + m, unit_price: 19.9, tax_rate: 21 }))

/** Returns a file with different content each time. */
function fileOf(n: number): FormData {
  const form = new FormData()
  form.set('title', `Notes ${n}`)
  form.set('file', new Blob([`Notes ${n}\n`.repeat(200)], { type: 'text/plain' }), `notes-${n}.txt`)
  return form
}

/** Deletes what was created, so that the company's size stays constant. */
async function andBack(api: Api, made: Promise<Answer>, pathOf: (id: number) => string[]): Promise<Answer> {
  const answer = await made
  if (answer.status === 201) for (const path of pathOf(answer.body.data.id)) await api.delete(path)
  return answer
}

/** Actions with their relative frequency. */
export const deeds: Deed[] = [
  { name: 'lists', share: 330, act: ({ api }) => api.get(`/${any(LISTS)}`) },
  { name: 'searches', share: 100, act: ({ api }) => api.get(`/contacts?search=${any(WORDS)}`) },
  { name: 'records', share: 200, act: ({ api }, { invoices }) => api.get(`/invoices/${any(invoices)}`) },
  { name: 'dashboards', share: 40, act: ({ api }) => api.get('/dashboard') },
  { name: 'events', share: 20, act: ({ api }) => api.get('/events?limit=100') },
  { name: 'who is signed in', share: 60, act: ({ api }) => api.get('/me') },
  {
    name: 'changes',
    share: 90,
    act: (person, { vendors }) => person.api.put(`/vendors/${any(vendors)}`, { notes: `Called ${person.count++} times` }),
  },
  {
    name: 'vendors made and deleted',
    share: 50,
    answers: 201,
    act(person) {
      const made = person.api.post('/vendors', { name: `Vendor ${person.count++}` })
      return andBack(person.api, made, (id) => [`/vendors/${id}`, `/vendors/${id}/force`])
    },
  },
  {
    name: 'invoices made',
    share: 30,
    answers: 201,
    act: (person) => person.api.post('/invoices', { title: 'Desks', lines: lines(person.count++) }),
  },
  { name: 'PDFs', share: 10, act: ({ api }, { invoices }) => api.get(`/invoices/${any(invoices)}/pdf`) },
  {
    name: 'files',
    share: 10,
    answers: 201,
    act(person) {
      const made = person.api.post('/documents', fileOf(person.count++))
      return andBack(person.api, made, (id) => [`/documents/${id}`, `/documents/${id}/force`])
    },
  },
  {
    name: 'mails',
    share: 4,
    act: ({ api }, { orders }) =>
      api.post(`/purchase-orders/${any(orders)}/email`, {
        to: ['vendor@vendor.example'],
        subject: 'Our order',
        message: 'Please.',
      }),
  },
  { name: 'exports', share: 2, act: ({ api }) => api.get('/vendors/export?format=csv') },
  { name: 'records that are gone', share: 20, answers: 404, act: ({ api }) => api.get('/vendors/999999999') },
  { name: 'forms that are wrong', share: 34, answers: 422, act: ({ api }) => api.post('/vendors', { name: '' }) },
]

/** Returns a random action, weighted by its share. */
export function nextDeed(): Deed {
  let at = Math.random() * deeds.reduce((sum, { share }) => sum + share, 0)
  return deeds.find(({ share }) => (at -= share) < 0) ?? deeds[0]!
}
