import { listWidget } from '#kernel/records/widget.ts'
import { stockList } from './stock.ts'
import { transferList } from './transfers.ts'

export default [
  listWidget({
    key: 'low_stock',
    title: 'Low stock',
    allow: 'inventory.view',
    list: stockList,
    filters: { low_stock: 'true' },
    shows: ['product', 'warehouse', 'on_hand', 'reorder_level'],
  }),
  listWidget({
    key: 'transfers_in_transit',
    title: 'Transfers in transit',
    allow: 'inventory.view',
    list: transferList,
    filters: { status: 'in_transit' },
    shows: ['id', 'number', 'from_warehouse', 'to_warehouse'],
  }),
]
