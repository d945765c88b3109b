/** Demo template with which a workspace regularly imports its suppliers' addresses. */
import { defineDemo } from '#kernel/demo/parts.ts'

export default defineDemo({
  async fill(ctx, plan) {
    const mapping = plan.say({
      en: { name: 'Name', email: 'E-mail', phone: 'Phone' },
      de: { name: 'Firma', email: 'E-Mail', phone: 'Telefon' },
    })
    await ctx.tx
      .insertInto('import_templates')
      .values({
        tenant_id: ctx.tenant.id,
        module: 'vendors',
        name: plan.say({ en: 'Suppliers from the old system', de: 'Lieferanten aus dem alten System' }),
        mapping: JSON.stringify(mapping),
        ...plan.say<{ decimal_sign: '.' | ','; group_sign: string }>({
          en: { decimal_sign: '.', group_sign: ',' },
          de: { decimal_sign: ',', group_sign: '.' },
        }),
        created_by: plan.people[0]!.id,
        created_at: ctx.now,
        updated_at: ctx.now,
      })
      .execute()
    return 1
  },
})
