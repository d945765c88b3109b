/** Demo templates of a small company. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'

type Text = { name: string; context: string; category: string; body: string }

const texts: { en: Text[]; de: Text[] } = {
  en: [
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
    { name: 'Holiday greetings', context: 'lead', category: 'Sales', body: 'Happy holidays, {{lead.first_name|dear friend}}!' },
  ],
  de: [
    {
      name: 'Erster Kontakt',
      context: 'lead',
      category: 'Vertrieb',
      body: 'Guten Tag {{lead.first_name|zusammen}}, hier ist {{agent.name}} von {{workspace.name}}. Danke für Ihr Interesse! Wann darf ich anrufen?',
    },
    {
      name: 'Zahlungserinnerung',
      context: 'invoice',
      category: 'Buchhaltung',
      body: 'Guten Tag {{invoice.contact_name|zusammen}}, von der Rechnung {{invoice.number}} sind seit {{invoice.due_date}} noch {{invoice.balance_due}} offen. Schauen Sie bitte nach?',
    },
    {
      name: 'Montagetermin',
      context: 'project',
      category: 'Montage',
      body: 'Guten Tag {{project.contact_name|zusammen}}, der Termin für „{{project.title}}“ steht: {{project.starts_on|in den nächsten Tagen}}. {{agent.name}}',
    },
    { name: 'Weihnachtsgruß', context: 'lead', category: 'Vertrieb', body: 'Frohe Feiertage, {{lead.first_name|und bis bald}}!' },
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const created = { type: 'created', at: plan.calendar.instant(1)!, by: plan.people[0]!.id }
    const stories = plan.say(texts).map((text, n) => ({
      row: { ...text, channel: 'chat_app' as const },
      timeline: n === 3 ? [created, trashedAfter(plan, created)] : [created],
    }))
    await insertStories(ctx, 'communication_templates', stories)
    return stories.length
  },
})
