import { aims, type Case, type Suite, VIEWERS } from '../prepare.ts'

const SMALL = 1000
const orders = '/api/tenant/v1/purchase-orders'
const print = (id: number) => `${orders}/${id}/pdf`

let seeded = ''

export default {
  title: 'Purchase orders',
  async cases({ workspace, ask, caseOf }, records): Promise<Case[]> {
    const { token: small } = await workspace(Math.min(SMALL, records))
    const began = performance.now()
    const { token: large, tokens } = await workspace(records, VIEWERS)
    seeded = `${((performance.now() - began) / 1000).toFixed(1)} s`

    const received: { id: number; vendor_id: number }[] = []
    for (let page = 1; page <= 20; page++)
      received.push(...(await ask(large, `${orders}?status=received&per_page=100&page=${page}`)).json().data)
    const details = await Promise.all(
      received.slice(0, 100).map(async ({ id }) => (await ask(large, `${orders}/${id}`)).json().data),
    )
    const ten = details.find((order) => order.lines.length === 10)
    const lines = ten.lines.map(({ description, quantity, unit_price, tax_rate, product_id }: any) => {
      return { description, quantity, unit_price, tax_rate, product_id }
    })
    const new_ = { vendor_id: ten.vendor_id, title: 'Measured', lines }
    const many = 'PDF, one at a time, each another one (6 lines on average)'
    const different = await caseOf('pdfDifferent', many, large, print(ten.id))
    const same = await caseOf('pdfSame', 'PDF, one at a time, the same ten lines', large, print(ten.id))
    const list = (count: number) => `list of 25 among ${count.toLocaleString('en')}`
    return [
      { ...(await caseOf('listSmall', list(Math.min(SMALL, records)), small, orders)), atLeast: aims.list },
      { ...(await caseOf('listLarge', list(records), large, orders)), atLeast: aims.list },
      { ...(await caseOf('show', 'show with ten lines', large, `${orders}/${ten.id}`)), atLeast: aims.show },
      { ...(await caseOf('stats', 'stats', large, `${orders}/stats`)), atLeast: aims.stats },
      { ...same, by: 1, target: { ...same.target, tokens: [...tokens] } },
      { ...different, by: 1, target: { ...different.target, paths: received.map(({ id }) => print(id)), tokens: [...tokens] } },
      { ...(await caseOf('create', 'create with ten lines', large, orders, new_)), atLeast: aims.create },
    ]
  },
  figures: async () => [['filling the demo (aim: 100,000 orders in 60 s)', seeded]],
} satisfies Suite
