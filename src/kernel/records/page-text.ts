/** Pages as JSON text from the database. */

/** Number of matching rows: exact, or a lower bound. */
export interface Total {
  total: number
  isFloor?: boolean
  /** Workspaces in the page whose own data is unavailable at the moment. */
  incomplete?: number[]
}

/** A page as JSON text, rendered by the database with the list's view. */
export class PageText implements Total {
  readonly text: string
  readonly total: number
  readonly isFloor: boolean
  readonly incomplete: number[]
  constructor(text: string, { total, isFloor = false }: Total, incomplete: number[] = []) {
    this.text = text
    this.total = total
    this.isFloor = isFloor
    this.incomplete = incomplete
  }
}
