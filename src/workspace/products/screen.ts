import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  products: {
    icon: 'box',
    columns: ['sku', 'name', 'unit_price', 'tax_rate', 'track_stock', 'reorder_level', 'is_active'],
    groups: [
      { title: 'Product', fields: ['name', 'sku', 'description', 'is_active'] },
      { title: 'Price', fields: ['unit_price', 'tax_rate'] },
      { title: 'Stock', fields: ['track_stock', 'reorder_level'] },
    ],
  },
})
