/** Pages used all day: lists of the modules without a suite of their own, the dashboard, the signed-in user. */
import { aims, type Case, type Suite } from '../prepare.ts'

const lists = {
  companies: 'companies',
  contacts: 'contacts',
  opportunities: 'opportunities',
  quotations: 'quotations',
  contracts: 'contracts',
  payments: 'payments',
  'credit-notes': 'credit notes',
  expenses: 'expenses',
  tasks: 'tasks',
  employees: 'employees',
  'attendance-records': 'attendance records',
  'communication-templates': 'communication templates',
  users: 'users',
}

export default {
  title: 'Everyday pages',
  async cases({ workspace, ask, caseOf }, records): Promise<Case[]> {
    const { token } = await workspace(records)
    const at = (path: string) => `/api/tenant/v1/${path}`
    const cases: Case[] = [await caseOf('me', 'who is signed in', token, at('me'))]
    for (const [path, name] of Object.entries(lists)) {
      const { total } = (await ask(token, at(path))).json().meta
      const many = `${name}: list of 25 among ${total.toLocaleString('en')}`
      cases.push({ ...(await caseOf(path, many, token, at(path))), atLeast: aims.list })
    }
    const stats = ['opportunities/stats', 'attendance-records/stats', 'payments/stats']
    for (const path of stats) cases.push(await caseOf(path, path.replace('/', ': '), token, at(path)))
    return [
      ...cases,
      await caseOf('today', 'attendance: today', token, at('attendance-records/today')),
      await caseOf('dashboard', 'dashboard with every widget', token, at('dashboard')),
    ]
  },
} satisfies Suite
