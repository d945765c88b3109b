import { amount, calendarDate, customer, definePlaceholders, field, name, plain } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'opportunity',
  label: 'Opportunity',
  fields: {
    name: field('Name', 'Name of the opportunity', 'New showroom', plain('name')),
    amount: field('Amount', 'What it is worth', '8,500.00 EUR', amount('amount')),
    stage: field('Stage', 'Stage of the pipeline', 'Proposal', name('stage')),
    expected_close_date: field('Expected close', 'When it should be won', 'Mar 31, 2027', calendarDate('expected_close_date')),
    ...customer,
  },
})
