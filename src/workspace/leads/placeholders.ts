import { amount, definePlaceholders, email, field, name, person, phone, plain, status } from '#kernel/modules/placeholders.ts'

export default definePlaceholders({
  subject: 'lead',
  label: 'Lead',
  fields: {
    ...person,
    email,
    phone,
    company: field('Company', 'What the lead says their firm is called', 'Silva & Filhos', plain('company')),
    job_title: field('Job title', 'What the lead does there', 'Head of purchasing', plain('job_title')),
    source: field('Source', 'Where the lead came from', 'Website', plain('source')),
    stage: field('Stage', 'Stage of the pipeline', 'Qualified', name('stage')),
    status: status('active'),
    value: field('Value', 'What the lead may be worth', '1,200.00 EUR', amount('lead_value')),
  },
})
