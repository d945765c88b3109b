import { workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { assignRoute, lifeRoutes, storyRoutes } from '#kernel/records/routes.ts'
import { createCategory, deleteCategory, listCategories, lockCategory, updateCategory } from './categories.ts'
import {
  countExpenses,
  createExpense,
  expenseList,
  expenses,
  listExpenses,
  moveExpense,
  showExpense,
  updateExpense,
} from './expenses.ts'
import {
  Category,
  CreateCategory,
  CreateExpense,
  Expense,
  ExpenseDetail,
  ExpenseStats,
  StatusBody,
  UpdateCategory,
  UpdateExpense,
} from './schema.ts'

const { get, post, put, del } = workspace
const life = { of: expenses, permissions: 'expenses', show: showExpense, reply: ExpenseDetail }

export default [
  get('/stats', { allow: 'expenses.view', query: expenseList.statsQuery, reply: ExpenseStats }, (ctx, { query }) =>
    countExpenses(ctx, query),
  ),
  get('/categories', { allow: 'expenses.view', query: Paging, page: Category, writes: true }, (ctx, { query }) =>
    listCategories(ctx, query),
  ),
  post(
    '/categories',
    { allow: 'expenses.create', body: CreateCategory, reply: Category, status: 201, message: 'Category created.' },
    (ctx, { body }) => createCategory(ctx, body),
  ),
  put(
    '/categories/:id',
    { allow: 'expenses.update', record: lockCategory, body: UpdateCategory, reply: Category, message: 'Category saved.' },
    (ctx, { record, body }) => updateCategory(ctx, record, body),
  ),
  del('/categories/:id', { allow: 'expenses.delete', record: lockCategory, message: 'Category deleted.' }, (ctx, { record }) =>
    deleteCategory(ctx, record),
  ),

  get('/', { allow: 'expenses.view', query: expenseList.query, page: Expense }, (ctx, { query }) => listExpenses(ctx, query)),
  post(
    '/',
    { allow: 'expenses.create', body: CreateExpense, reply: ExpenseDetail, status: 201, message: 'Expense created.' },
    (ctx, { body }) => createExpense(ctx, body),
  ),
  get('/:id', { allow: 'expenses.view', reply: ExpenseDetail }, async (ctx, { id }) => {
    await expenses.find(ctx, id)
    return showExpense(ctx, id)
  }),
  put(
    '/:id',
    { allow: 'expenses.update', record: expenses.lock, body: UpdateExpense, reply: ExpenseDetail, message: 'Expense saved.' },
    (ctx, { record, body }) => updateExpense(ctx, record, body),
  ),
  post(
    '/:id/status',
    { allow: 'expenses.approve', record: expenses.lock, body: StatusBody, reply: ExpenseDetail, message: 'Status changed.' },
    (ctx, { record, body }) => moveExpense(ctx, record, body.status),
  ),
  assignRoute(life),
  ...lifeRoutes(life),
  ...storyRoutes(life),
]
