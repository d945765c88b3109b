import { amount, calendarDate, customer, definePlaceholders, field, plain, status } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'invoice',
  label: 'Invoice',
  fields: {
    number: field('Number', 'Number of the invoice', 'INV-00042', plain('number')),
    title: field('Title', 'Title of the invoice', 'Oak tables', plain('title')),
    status: status('unpaid'),
    issue_date: field('Issued', 'Date of issue', 'Mar 1, 2027', calendarDate('issue_date')),
    due_date: field('Due', 'Date by which it is to be paid', 'Mar 31, 2027', calendarDate('due_date')),
    total: field('Total', 'What it comes to', '1,190.00 EUR', amount('total')),
    amount_paid: field('Paid', 'What was paid of it', '500.00 EUR', amount('amount_paid')),
    balance_due: field('Balance due', 'What is still to be paid', '690.00 EUR', amount('balance_due')),
    ...customer,
  },
})
