import { activityRoutes, assignRoute, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { categoryRoutes } from './categories.ts'
import {
  ChangeExpense,
  createExpense,
  expenseList,
  expenseSeries,
  expenseStats,
  expenses,
  restoreExpense,
  updateExpense,
} from './expenses.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateExpense } from './schema.ts'

export default [
  ...categoryRoutes,
  ...recordRoutes(expenses, {
    list: expenseList,
    stats: expenseStats,
    series: expenseSeries,
    body: CreateExpense,
    changes: ChangeExpense,
    create: createExpense,
    update: updateExpense,
    restore: restoreExpense,
    guards: { update: draftsOnly(expenses) },
  }),
  ...activityRoutes(expenses),
  assignRoute(expenses),
  statusRoute(expenses, lifecycle),
]
