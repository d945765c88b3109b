/** Seller and buyer in an e-invoice (EN 16931, BG-4 and BG-7): fields of contacts and companies, settings of the workspace. */
import { z } from 'zod'
import type { Setting } from '#kernel/modules/module.ts'
import { oneLine, optionalLine } from '#kernel/values/fields.ts'
import { bic, iban } from '#kernel/values/iban.ts'
import { ADDRESS_SCHEMES, COUNTRIES } from './codes.ts'

const COUNTRY = 'Must be a country by ISO 3166-1, such as DE.'
const VAT_ID = 'Must be a VAT id with its country before it, such as DE123456789.'
const ADDRESS = 'Must be an e-mail address, or a scheme and an id such as 0088:4012345000009 or 9930:DE123456789.'

const country = () => z.enum(COUNTRIES, COUNTRY)
/** BR-CO-09: Greek ids have the prefix EL. */
const vatId = () =>
  z
    .string()
    .max(15, VAT_ID)
    .regex(/^[A-Z]{2}[A-Z0-9+*]+$/, VAT_ID)
    .refine((id) => id.startsWith('EL') || COUNTRIES.includes(id.slice(0, 2)), VAT_ID)
const electronicAddress = () =>
  z
    .string()
    .max(254, 'Must be at most 254 characters.')
    .regex(/^(?:[^\s@:]+@[^\s@:]+|[A-Z0-9]{2,4}:[!-~]+)$/, ADDRESS)
    .refine((address) => address.includes('@') || ADDRESS_SCHEMES.has(address.split(':')[0]!), ADDRESS)

const said = {
  street: { description: 'Street and number, as e-invoices say them.', examples: ['Hafenstraße 4'] },
  postcode: { description: 'Postcode of that address.', examples: ['20457'] },
  city: { description: 'Town of that address.', examples: ['Hamburg'] },
  country: { description: 'Country of that address, by ISO 3166-1.', examples: ['DE'] },
  vat_id: { description: 'VAT identification number, with its country before it.', examples: ['DE123456789'] },
  einvoice_address: {
    description:
      'Where e-invoices reach them: an e-mail address, or the scheme (EAS) and the id by which a network knows them. Unless set, it is the e-mail address.',
    examples: ['0088:4012345000009'],
  },
  buyer_reference: {
    description: 'What invoices to them say for their accounts, unless an invoice says otherwise: in Germany the Leitweg-ID.',
    examples: ['04011000-12345-03'],
  },
}

/** Fields of contacts and companies in input. */
export const partyInput = {
  street: optionalLine(255).meta(said.street),
  postcode: optionalLine(20).meta(said.postcode),
  city: optionalLine(100).meta(said.city),
  country: country().nullish().meta(said.country),
  vat_id: vatId().nullish().meta(said.vat_id),
  einvoice_address: electronicAddress().nullish().meta(said.einvoice_address),
  buyer_reference: optionalLine(100).meta(said.buyer_reference),
}
type PartyField = keyof typeof partyInput

/** Fields of contacts and companies in detail views. */
export const partyShown = Object.fromEntries(
  Object.entries(said).map(([name, about]) => [name, z.string().nullable().meta(about)]),
) as { [Field in PartyField]: z.ZodNullable<z.ZodString> }

const orNothing = <S extends z.core.$ZodType>(schema: S) => z.union([z.literal(''), schema])
const words = (title: string, max = 255): Setting => ({
  schema: z
    .string()
    .trim()
    .max(max)
    .refine(...oneLine),
  default: '',
  title,
  grants: false,
})

export interface SellerSettings {
  legal_name: string
  street: string
  postcode: string
  city: string
  country: string
  vat_id: string
  tax_number: string
  iban: string
  bic: string
  einvoice_address: string
  contact_name: string
  contact_phone: string
  contact_email: string
}

/** Settings of the workspace; empty means not set. */
export const sellerSettings: { [Key in keyof SellerSettings]: Setting } = {
  legal_name: words('Registered name, on e-invoices; the name of the workspace unless set'),
  street: words('Street and number, on e-invoices'),
  postcode: words('Postcode, on e-invoices', 20),
  city: words('Town, on e-invoices', 100),
  country: {
    schema: z.enum(['', ...COUNTRIES], COUNTRY),
    default: '',
    title: 'Country (ISO 3166-1), on e-invoices',
    grants: false,
  },
  vat_id: { schema: orNothing(vatId()), default: '', title: 'VAT identification number, on e-invoices', grants: false },
  tax_number: words('Tax number of the tax office, on e-invoices', 50),
  iban: { schema: orNothing(iban()), default: '', title: 'IBAN to which invoices are paid, on e-invoices', grants: true },
  bic: { schema: orNothing(bic()), default: '', title: 'BIC of that account', grants: true },
  einvoice_address: {
    schema: orNothing(electronicAddress()),
    default: '',
    title: 'Electronic address of the firm (an e-mail address, or scheme:id); the e-mail address of documents unless set',
    grants: false,
  },
  contact_name: words('Whom customers ask about invoices, on e-invoices'),
  contact_phone: words('Their telephone', 50),
  contact_email: { schema: orNothing(z.email().max(254)), default: '', title: 'Their e-mail address', grants: false },
}
