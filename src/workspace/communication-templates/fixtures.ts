/** Templates as a small firm would write them. */
import { defineDemo, insertRecords } from '#kernel/modules/demo.ts'
import type { ContextName } from './contexts.ts'

const texts: { name: string; context: ContextName; category: string; body: string }[] = [
  {
    name: 'First contact',
    context: 'lead',
    category: 'Sales',
    body: 'Hello {{lead.first_name|there}}, this is {{agent.name}} of {{workspace.name}}. Thank you for your interest! When may I call you?',
  },
  {
    name: 'Payment reminder',
    context: 'invoice',
    category: 'Billing',
    body: 'Dear {{invoice.contact_name|customer}}, {{invoice.balance_due}} of invoice {{invoice.number}} were due on {{invoice.due_date}}. Could you look into it?',
  },
  {
    name: 'Project starts',
    context: 'project',
    category: 'Delivery',
    body: 'Good news, {{project.contact_name|dear customer}}: {{project.title}} starts on {{project.starts_on|one of the next days}}. {{agent.name}}',
  },
]

export default defineDemo({
  async fill(ctx, plan) {
    const at = plan.calendar.instant(1)!
    const created_by = plan.people[0]!.id
    const rows = texts.map((text) => ({ ...text, channel: 'chat_app' as const, created_by, created_at: at, updated_at: at }))
    await insertRecords(ctx, 'communication_templates', rows)
    return rows.length
  },
})
