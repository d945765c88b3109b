import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  'inventory-stock': { icon: 'box', drawn: { list: 'stock' } },
  'inventory-transfers': { icon: 'box', drawn: { list: 'transfers' } },
})
