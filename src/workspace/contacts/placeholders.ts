import { address, definePlaceholders, email, field, name, person, phone, plain } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'contact',
  label: 'Contact',
  fields: {
    ...person,
    email,
    phone,
    job_title: field('Job title', 'What the contact does', 'Head of purchasing', plain('job_title')),
    company: field(
      'Company',
      'The linked company, else what the contact says',
      'Silva & Filhos',
      (contact) => name('linked_company')(contact) ?? plain('company')(contact),
    ),
    address,
  },
})
