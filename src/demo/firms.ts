/** Demo companies: a food wholesaler in Seattle, and a smaller coffee roaster in Cologne. Their addresses are fictitious. */
export interface Firm {
  tenant: { company_name: string; timezone: string; currency: string; country: string; locale: string }
  owner: string
  email: string
  /** Size relative to the first company. */
  size: number
  settings: Record<string, unknown>
}

/** The two companies, used alternately. */
export const firms: [Firm, Firm] = [
  {
    tenant: {
      company_name: 'Northwind Trading',
      timezone: 'America/Los_Angeles',
      currency: 'USD',
      country: 'US',
      locale: 'en',
    },
    owner: 'Dana Whitfield',
    email: 'demo@northwind-trading.example',
    size: 1,
    settings: {
      company_address: '2817 Milton Drive\nSeattle, WA 98101',
      company_phone: '+1 206 555 0100',
      company_email: 'office@northwind-trading.example',
      tax_registration_id: '91-1144442',
      document_footer: 'Northwind Trading, registered in the State of Washington',
    },
  },
  {
    tenant: {
      company_name: 'Kaffeerösterei Brückner',
      timezone: 'Europe/Berlin',
      currency: 'EUR',
      country: 'DE',
      locale: 'de',
    },
    owner: 'Friederike Brückner',
    email: 'demo@kaffeeroesterei-brueckner.example',
    size: 0.3,
    settings: {
      company_address: 'Körnerstraße 42\n50823 Köln',
      company_phone: '+49 221 5550140',
      company_email: 'buero@kaffeeroesterei-brueckner.example',
      tax_registration_id: 'DE 811 555 214',
      document_footer: 'Kaffeerösterei Brückner · Inhaberin Friederike Brückner · Amtsgericht Köln HRA 55512',
      tax_rounding: 'document',
      street: 'Körnerstraße 42',
      postcode: '50823',
      city: 'Köln',
      country: 'DE',
      vat_id: 'DE811555214',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      contact_name: 'Friederike Brückner',
      einvoice_on_send: 'warn',
      document_language: 'de',
    },
  },
]
