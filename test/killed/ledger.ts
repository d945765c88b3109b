/** What clients were told, to be held against what is there in the end. */
export function openLedger() {
  /** By table and column: the names that were sent, each with what was answered. */
  const kinds = new Map<string, { table: string; column: string; sent: Set<string>; told: Map<string, { number?: string }> }>()
  const kind = (table: string, column: string) => {
    const key = `${table}.${column}`
    let one = kinds.get(key)
    if (!one) kinds.set(key, (one = { table, column, sent: new Set(), told: new Map() }))
    return one
  }
  return {
    made: {
      begin: (table: string, column: string, name: string) => void kind(table, column).sent.add(name),
      acknowledged: (table: string, column: string, name: string, data: { number?: string }) =>
        void kind(table, column).told.set(name, data),
      kinds: () => [...kinds.values()],
    },
    /** Requests that were acknowledged, and those of them whose first answer was lost. */
    acknowledged: 0,
    replayed: 0,
    /** Pieces that came with orders, were counted in by hand, left on transfers and arrived. */
    received: 0,
    adjusted: 0,
    dispatched: 0,
    completed: 0,
    /** Invoices that were paid whole. */
    paid: [] as number[],
    /** Occurrences that each series must have. */
    series: new Map<number, number>(),
    /** Rows of each import. */
    imports: new Map<string, number>(),
    /** SHA-256 of each document. */
    files: new Map<number, string>(),
    attendances: 0,
    installed: 0,
    /** When each redirect was answered. */
    clicks: [] as number[],
  }
}
export type Ledger = ReturnType<typeof openLedger>
