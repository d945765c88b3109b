/** Ledger of acknowledged writes, compared with the database at the end. */
export function openLedger() {
  /** By table and column: the names sent, and the replies. */
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
    /** Number of acknowledged requests, and of those whose first reply was lost. */
    acknowledged: 0,
    replayed: 0,
    /** Quantities received by orders, adjusted by hand, dispatched in transfers and completed. */
    received: 0,
    adjusted: 0,
    dispatched: 0,
    completed: 0,
    /** Invoices paid in full. */
    paid: [] as number[],
    /** Expected occurrences by series. */
    series: new Map<number, number>(),
    /** Rows by import. */
    imports: new Map<string, number>(),
    /** SHA-256 by document. */
    files: new Map<number, string>(),
    attendances: 0,
    installed: 0,
    /** Times of redirect replies. */
    clicks: [] as number[],
  }
}
export type Ledger = ReturnType<typeof openLedger>
