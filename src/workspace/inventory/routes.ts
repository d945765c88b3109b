import { action, recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { adjust } from './adjusting.ts'
import { AdjustStock, CreateTransfer, StockMovement, StockRow, StockStats, UpdateTransfer } from './schema.ts'
import { movementList, movementQuery, stockList, stockStats } from './stock.ts'
import { cancel, complete, create, dispatch, remove, transferList, transfers, update } from './transfers.ts'

const { get, post } = workspace

const stockRoutes = [
  get('/stock', { allow: 'inventory.view', query: stockList.query, page: StockRow }, (ctx, { query }) =>
    ctx.commitWith(stockList.page(ctx, query)),
  ),
  get('/stock/stats', { allow: 'inventory.view', query: stockList.statsQuery, reply: StockStats }, (ctx, { query }) =>
    stockStats(ctx, query),
  ),
  get('/stock/movements', { allow: 'inventory.view', query: movementQuery, page: StockMovement }, (ctx, { query }) =>
    ctx.commitWith(movementList.page(ctx, query)),
  ),
  post(
    '/stock/adjust',
    { allow: 'inventory.adjust', body: AdjustStock, reply: StockMovement, status: 201, message: 'Stock adjusted.' },
    (ctx, { body }) => adjust(ctx, body),
  ),
]

const allow = 'inventory.transfer'
const transferRoutes = [
  ...recordRoutes(transfers, {
    list: transferList,
    body: CreateTransfer,
    changes: UpdateTransfer,
    create,
    update,
    remove,
  }),
  action(transfers, '/:id/dispatch', { allow, message: 'Transfer dispatched.' }, dispatch),
  action(transfers, '/:id/complete', { allow, message: 'Transfer completed.' }, complete),
  action(transfers, '/:id/cancel', { allow, message: 'Transfer cancelled.' }, cancel),
]

export default [...stockRoutes, ...under('/transfers', transferRoutes)]
