import { listExport } from '#kernel/http/lookup-routes.ts'
import { action, recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { adjust } from './adjusting.ts'
import { AdjustStock, CreateTransfer, StockMovement, StockRow, StockStats, UpdateTransfer } from './schema.ts'
import { movementList, movementQuery, stockList, stockStats } from './stock.ts'
import {
  cancel,
  complete,
  create,
  dispatch,
  refuseCompletion,
  refuseDeletion,
  transferList,
  transfers,
  update,
} from './transfers.ts'

const { get, post } = workspace

const stockRoutes = [
  listExport(stockList.of, '/stock', { list: stockList, allow: 'inventory.export' }),
  get(
    '/stock',
    {
      allow: 'inventory.view',
      description: 'Answers a page of stock levels, one row for each product and warehouse that match all filters that are sent.',
      query: stockList.query,
      page: StockRow,
    },
    (ctx, { query }) => ctx.commitWith(stockList.page(ctx, query)),
  ),
  get(
    '/stock/stats',
    {
      allow: 'inventory.view',
      description: 'Sums up the stock levels that the list with the same filters would show.',
      query: stockList.statsQuery,
      reply: StockStats,
    },
    (ctx, { query }) => stockStats(ctx, query),
  ),
  get(
    '/stock/movements',
    {
      allow: 'inventory.view',
      description: 'Answers a page of what came and went of one product, the newest first.',
      query: movementQuery,
      page: StockMovement,
    },
    (ctx, { query }) => ctx.commitWith(movementList.page(ctx, query)),
  ),
  post(
    '/stock/adjust',
    {
      allow: 'inventory.adjust',
      grants: false,
      body: AdjustStock,
      reply: StockMovement,
      status: 201,
      message: 'Stock adjusted.',
      description:
        'Books stock in, out, or to what was counted, and answers the movement. Stock never goes below zero: 422 on `quantity`.',
    },
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
    guards: { update: draftsOnly(transfers), remove: refuseDeletion },
  }),
  action(
    transfers,
    '/:id/dispatch',
    {
      allow,
      grants: false,
      message: 'Transfer dispatched.',
      description: 'Says that the goods of a draft are on their way. Stock moves when the transfer is completed.',
    },
    dispatch,
  ),
  action(
    transfers,
    '/:id/complete',
    {
      allow,
      grants: false,
      guard: refuseCompletion,
      message: 'Transfer completed.',
      description:
        'Moves the stock from the warehouse that dispatched goods leave to the one they go to. 422 on `lines.N.quantity` where there is not enough.',
    },
    complete,
  ),
  action(
    transfers,
    '/:id/cancel',
    {
      allow,
      grants: false,
      message: 'Transfer cancelled.',
      description: 'Ends a transfer that is not completed: its stock stays where it is.',
    },
    cancel,
  ),
]

export default [...stockRoutes, ...under('/transfers', transferRoutes)]
