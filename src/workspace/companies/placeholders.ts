import { address, definePlaceholders, email, field, phone, plain } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'company',
  label: 'Company',
  fields: {
    name: field('Name', 'Name of the company', 'Silva & Filhos', plain('name')),
    email,
    phone,
    website: field('Website', 'Address of its website', 'https://silva.example', plain('website')),
    industry: field('Industry', 'What it does', 'Furniture', plain('industry')),
    address,
  },
})
