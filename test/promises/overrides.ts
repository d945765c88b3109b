/** Where a module's own rule asks for more than its schema tells: fields of an example, by the kind of record. */
export const overrides: Record<string, object> = {
  // The first warehouse becomes the default, and the default must be active.
  warehouse: { is_default: false },
}
