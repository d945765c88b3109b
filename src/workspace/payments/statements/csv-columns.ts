/** Columns and notation of banks' CSV files, as stored in a mapping. */

export const ENCODINGS = ['auto', 'utf-8', 'windows-1252', 'iso-8859-15', 'utf-16'] as const
export const DELIMITERS = ['semicolon', 'comma', 'tab', 'pipe'] as const
export const DECIMAL_SIGNS = ['comma', 'point'] as const
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const

export const COLUMN_FIELDS = [
  'booked_on',
  'value_date',
  'amount',
  'sign',
  'debit',
  'credit',
  'currency',
  'account',
  'counterparty_name',
  'counterparty_iban',
  'remittance',
  'further_remittance',
  'end_to_end_id',
  'bank_reference',
] as const
export type ColumnField = (typeof COLUMN_FIELDS)[number]

export type CsvMapping = {
  encoding: (typeof ENCODINGS)[number]
  delimiter: (typeof DELIMITERS)[number]
  /** From 1; 0 where there is none. */
  header_row: number
  decimal_sign: (typeof DECIMAL_SIGNS)[number]
  date_order: (typeof DATE_ORDERS)[number]
  account: string | null
  currency: string
} & { [F in ColumnField as `${F}_column`]: string | null }
