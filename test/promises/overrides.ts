let telephones = 0

/** Where a module's own rule asks for more than its schema tells: fields of an example, by the kind of record. */
export const overrides: Record<string, object> = {
  // The first warehouse becomes the default, and the default must be active.
  warehouse: { is_default: false },
  // A name and its parts change with each other: every example has the same, and differs in its telephone. A user is one employee.
  employee: {
    name: 'Ada Lovelace',
    first_name: 'Ada',
    last_name: 'Lovelace',
    user_id: null,
    get phone() {
      return `+44 20 ${++telephones}`
    },
  },
  // No stage is both won and lost.
  opportunity_stage: { is_won: false },
}
