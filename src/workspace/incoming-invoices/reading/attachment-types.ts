/** Content types sent for files inside e-invoices (those allowed by BG-24); any other file is sent as bytes. */
export const KNOWN_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
]
export const CSV = 'text/csv'
export const BYTES = 'application/octet-stream'
export const ATTACHMENT_TYPES = [...KNOWN_TYPES, CSV, BYTES]
