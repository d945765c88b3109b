import { calendarDate, definePlaceholders, email, field, name, person, phone, plain } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'employee',
  label: 'Employee',
  fields: {
    ...person,
    last_name: field('Last name', 'Last name', 'Silva', plain('last_name')),
    number: field('Number', 'Number of the employee', 'EMP-0007', plain('number')),
    email,
    phone,
    department: field('Department', 'Where they work', 'Sales', name('department')),
    hire_date: field('Hired', 'First day at work', 'Feb 1, 2026', calendarDate('hire_date')),
  },
})
