/** What the marketplace groups modules by, and where a module stands until an operator says otherwise. */
const grouped: Record<string, readonly string[]> = {
  'Customers and sales': ['companies', 'contacts', 'contracts', 'estimates', 'leads', 'opportunities', 'quotations', 'resellers'],
  Finance: ['accounting', 'credit-notes', 'expenses', 'invoices', 'payments'],
  'Purchasing and stock': ['inventory', 'products', 'purchase-orders', 'vendors', 'warehouses'],
  Work: ['automation', 'calendar', 'help-desk', 'knowledge-base', 'meetings', 'projects', 'tasks', 'to-dos'],
  People: ['announcements', 'assets', 'attendance', 'employees', 'leave', 'payroll'],
  Communication: ['ai', 'chat-app', 'communication-templates', 'email', 'short-links', 'team-chat'],
  Files: ['documents', 'storage'],
  Workspace: ['branded'],
}

export const categoryNames = Object.keys(grouped)

/** Of a module of this key; undefined for one that stands in none. */
export const categoryOf = (key: string) => categoryNames.find((name) => grouped[name]!.includes(key))
