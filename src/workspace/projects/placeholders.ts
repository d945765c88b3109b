import { calendarDate, customer, definePlaceholders, field, plain, status } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'project',
  label: 'Project',
  fields: {
    title: field('Title', 'Title of the project', 'Showroom Lisbon', plain('title')),
    status: status('active'),
    starts_on: field('Starts', 'First day', 'Mar 1, 2027', calendarDate('starts_on')),
    ends_on: field('Ends', 'Last day', 'Jun 30, 2027', calendarDate('ends_on')),
    ...customer,
  },
})
