/**
 * English texts of documents, mails and pages for customers: the keys that every other language must have. `{name}` is a
 * placeholder; a text has the same ones in every language.
 */
export const en = {
  // Kinds of document, and their parties.
  kind_invoice: 'Invoice',
  kind_credit_note: 'Credit note',
  kind_receipt: 'Receipt',
  kind_quotation: 'Quotation',
  kind_estimate: 'Estimate',
  kind_contract: 'Contract',
  kind_purchase_order: 'Purchase order',
  from: 'From',
  for: 'For',
  bill_to: 'Bill to',
  credit_to: 'Credit to',
  received_from: 'Received from',
  vendor: 'Vendor',
  tax_id: 'Tax ID {id}',

  // Dates, and further data of the header.
  date: 'Date',
  issue_date: 'Issue date',
  due_date: 'Due date',
  order_date: 'Order date',
  expected_date: 'Expected',
  valid_until: 'Valid until',
  starts_on: 'Starts',
  ends_on: 'Ends',
  paid_on: 'Paid on',
  method: 'Method',
  reference: 'Reference',

  // Lines.
  description: 'Description',
  quantity: 'Quantity',
  unit_price: 'Unit price',
  discount: 'Discount',
  line_tax: 'Tax',
  amount: 'Amount',
  no_lines: 'No lines',

  // Sums.
  subtotal: 'Subtotal (net)',
  subtotal_note: '{subtotal} less discounts of {discounts}',
  tax_total: 'Tax',
  total: 'Total',
  tax_rate: 'Tax rate',
  net: 'Net',
  tax: 'Tax',
  paid: 'Paid',
  credited: 'Credited',
  balance_due: 'Balance due',
  value: 'Value',
  reverse_charge: 'Reverse charge: the customer owes the tax.',
  intra_community: 'Intra-Community supply, exempt from tax.',
  export: 'Export outside the EU, exempt from tax.',
  not_taxable: 'Not subject to VAT.',

  // Further tables and sections.
  payments_received: 'Payments received',
  invoices_paid: 'Invoices paid',
  number: 'Number',
  title: 'Title',
  notes: 'Notes',
  terms: 'Terms',

  // States that customers see.
  state_draft: 'Draft',
  state_partial: 'Partial',
  state_paid: 'Paid',
  state_accepted: 'Accepted',
  state_cancelled: 'Cancelled',
  state_voided: 'Voided',
  state_terminated: 'Terminated',

  // Payment methods.
  method_cash: 'Cash',
  method_bank_transfer: 'Bank transfer',
  method_card: 'Card',
  method_cheque: 'Cheque',
  method_other: 'Other',

  // Acceptance: printed, in mails, on its page.
  accepted_and_signed: 'Accepted and signed',
  signed_by: 'Signed by',
  signed_on: 'Signed on',
  signed_hash: 'SHA-256 of what was signed',
  read_and_accept: 'Read and accept',
  link_good_until: 'The link is good until {until}, and accepts once.',
  open_address: 'Or open this address:',
  signed_subject: 'Signed: {number}, {title}',
  signed_greeting: 'Hello {name},',
  signed_body: 'Thank you. You have accepted and signed {number}. It is attached, with your signature.',
  accept_and_sign: 'Accept and sign',
  your_name: 'Your name',
  your_email: 'Your e-mail address',
  name_is_signature: 'Your name, as you type it, is your signature.',
  draw_signature: 'You may draw it as well, with a finger or a mouse:',
  drawing_field: 'A field to draw your signature in',
  clear_drawing: 'Clear the drawing',
  accept_terms: 'I accept this document and its terms.',
  accept_terms_missing: 'Tick this to accept.',
  look_below: 'Please look at what is marked below.',
  name_wrong: 'Your name is needed, in at most 255 characters.',
  email_wrong: 'Must be an e-mail address.',
  drawing_wrong: 'The drawing can’t be read. Please draw it again.',
  document_changed: 'The document has changed since you read it. Please read it again.',
  link_is_yours: 'This link is for you alone, and good until {until}.',
  what_is_kept: 'With your signature we keep your IP address, your browser’s name and the time.',
  thank_you: 'Thank you',
  thanks_body: 'You have accepted {number}, {title}. The signed document is on its way to {email}.',
  signed_title: 'Signed: {number}',
  was_accepted: '{number}, {title} was accepted by this link.',
  download_signed: 'Download the signed document (PDF)',
  page_until: 'This page is here until {until}.',

  // Payment.
  pay_by_transfer: 'Pay by bank transfer',
  scan_or_transfer: 'Scan the code with your banking app, or transfer to this account:',
  account_holder: 'Account holder',
  iban: 'IBAN',
  bic: 'BIC',
  view_and_pay: 'View and pay',
  pay_link_until: 'The link is good until {until}.',
  download_invoice: 'Download the invoice (PDF)',
  to_pay: 'To pay',
  transfer_code: 'Code for your banking app: the transfer with its amount and reference',
  invoice_is_paid: 'This invoice is paid. Thank you.',
  invoice_is_cancelled: 'This invoice was cancelled. There is nothing to pay.',
  pay_as_told: 'Please pay as the invoice says.',
  pay_online: 'Pay online',
  amount_to_pay: 'Amount that you pay now',
  pay_returned: 'Thank you. If you have paid, that is confirmed within some minutes.',
  pay_underway: 'A payment is under way. The bank confirms it, which may take some days.',
  amount_wrong: 'Must be a sum of at most {most}.',

  // Payment reminders.
  reminder_upcoming_subject: 'Invoice {number} is due soon',
  reminder_upcoming_body: 'A friendly note: {amount} of invoice {number} is due on {due}.',
  reminder_first_subject: 'Reminder: invoice {number}',
  reminder_first_body:
    'Invoice {number} was due on {due}, and {amount} is still open. Perhaps it escaped you: please pay it within the next days.',
  reminder_again_subject: 'Further reminder: invoice {number} is overdue',
  reminder_again_body:
    'In spite of our reminder, {amount} of invoice {number}, which was due on {due}, is still open. Please pay it now, or tell us what stands against it.',
  reminder_paid_already: 'If you have paid already, please disregard this message.',
  reminder_fees: 'Reminder fees',

  // Statements of account.
  statement_title: 'Statement of account',
  statement_from: 'First day',
  statement_to: 'Last day',
  statement_opening: 'Opening balance',
  statement_closing: 'Closing balance',
  statement_payment: 'Payment',
  statement_balance: 'Balance',
  statement_ageing: 'Open invoices by age',
  statement_since_due: 'Since due',
  statement_not_due: 'Not due yet',
  statement_overdue: '{from} to {to} days overdue',
  statement_overdue_more: 'More than {days} days overdue',
  statement_unused: 'Payments and credit not used',

  // Further particulars of a legal invoice.
  vat_id: 'VAT ID {id}',
  tax_number: 'Tax number {id}',
  delivery_date: 'Delivered on',
  delivery_period: 'Period of delivery',
  supply_on_issue_date: 'Date of supply is the date of issue',
  order_reference: 'Your order',
  buyer_reference: 'Your reference',
  corrects_invoice: 'Corrects invoice',
} as const

export type TextKey = keyof typeof en
export const isTextKey = (key: string): key is TextKey => Object.hasOwn(en, key)
/** Every text of a language. */
export type Texts = Readonly<Record<TextKey, string>>
