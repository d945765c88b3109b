/** Contexts: what a template may be about, and which placeholders it has there (TPL-03, TPL-10). */
import type { SubjectType } from '#kernel/names.ts'
import { amount, calendarDate, type Field, field, firstName, name, plain } from './fields.ts'

interface Context {
  label: string
  /** The kind of record, in whose detail view the fields find their values. */
  subject: SubjectType
  fields: Record<string, Field>
}

export const CONTEXTS = ['lead', 'contact', 'company', 'opportunity', 'invoice', 'project', 'employee'] as const
export type ContextName = (typeof CONTEXTS)[number]

const customer = {
  contact_name: field('Contact', 'Name of the linked contact', 'Maria Silva', name('contact')),
  company_name: field('Company', 'Name of the linked company', 'Silva & Filhos', name('company')),
}
const address = field('Address', 'Postal address', '12 Rua Augusta, Lisboa', plain('address'))
const email = field('E-mail', 'E-mail address', 'maria@example.com', plain('email'))
const phone = field('Phone', 'Phone number', '+351 210 000 000', plain('phone'))
const status = (sample: string) => field('Status', 'Present status', sample, ({ status }) => String(status).replaceAll('_', ' '))
const person = {
  name: field('Name', 'Full name', 'Maria Silva', plain('name')),
  first_name: field('First name', 'The name up to its first space', 'Maria', firstName),
}

export const contexts: Record<ContextName, Context> = {
  lead: {
    label: 'Lead',
    subject: 'lead',
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
  },
  contact: {
    label: 'Contact',
    subject: 'contact',
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
  },
  company: {
    label: 'Company',
    subject: 'company',
    fields: {
      name: field('Name', 'Name of the company', 'Silva & Filhos', plain('name')),
      email,
      phone,
      website: field('Website', 'Address of its website', 'https://silva.example', plain('website')),
      industry: field('Industry', 'What it does', 'Furniture', plain('industry')),
      address,
    },
  },
  opportunity: {
    label: 'Opportunity',
    subject: 'opportunity',
    fields: {
      name: field('Name', 'Name of the opportunity', 'New showroom', plain('name')),
      amount: field('Amount', 'What it is worth', '8,500.00 EUR', amount('amount')),
      stage: field('Stage', 'Stage of the pipeline', 'Proposal', name('stage')),
      expected_close_date: field('Expected close', 'When it should be won', 'Mar 31, 2027', calendarDate('expected_close_date')),
      ...customer,
    },
  },
  invoice: {
    label: 'Invoice',
    subject: 'invoice',
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
  },
  project: {
    label: 'Project',
    subject: 'project',
    fields: {
      title: field('Title', 'Title of the project', 'Showroom Lisbon', plain('title')),
      status: status('active'),
      starts_on: field('Starts', 'First day', 'Mar 1, 2027', calendarDate('starts_on')),
      ends_on: field('Ends', 'Last day', 'Jun 30, 2027', calendarDate('ends_on')),
      ...customer,
    },
  },
  employee: {
    label: 'Employee',
    subject: 'employee',
    fields: {
      ...person,
      last_name: field('Last name', 'Last name', 'Silva', plain('last_name')),
      number: field('Number', 'Number of the employee', 'EMP-0007', plain('number')),
      email,
      phone,
      department: field('Department', 'Where they work', 'Sales', name('department')),
      hire_date: field('Hired', 'First day at work', 'Feb 1, 2026', calendarDate('hire_date')),
    },
  },
}
