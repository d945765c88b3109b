/** Pages as text that the database has written. */

/** How many rows match: exactly, or at least so many. */
export interface Total {
  total: number
  isFloor?: boolean
  /** Workspaces among the rows whose own data can't be read at the moment. */
  incomplete?: number[]
}

/** A page as JSON that the database has written by the list's view. */
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
