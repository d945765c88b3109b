import { defineDemo } from '#kernel/demo/parts.ts'
import { offerToCustomers } from '#workspace/acceptance/demo.ts'
import { fillOffers } from '#workspace/offers/demo.ts'
import { quotationOffer } from './quotations.ts'

export default defineDemo({
  settings: { en: {}, de: { quotations_number_prefix: 'AN-' } },
  async fill(ctx, plan) {
    const made = await fillOffers(ctx, plan, quotationOffer)
    await offerToCustomers(ctx, plan, quotationOffer.offered, ['accepted'])
    return made
  },
})
