/** Reading an XLSX file as a whole: a pure function, for a child that may fail at it. */
import { HttpError } from '#kernel/errors.ts'
import { type Batch, batchesOf } from './batches.ts'
import { tableOf } from './rows.ts'
import { xlsxRows } from './xlsx.ts'

export interface Workbook {
  headers: string[]
  batches: Batch[]
}

/** Its first sheet, or what is wrong with it. */
export async function readWorkbook(content: Uint8Array): Promise<Workbook | { wrong: string }> {
  try {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    const { headers, rows } = await tableOf(xlsxRows(bytes))
    return { headers, batches: await Array.fromAsync(batchesOf(rows)) }
  } catch (error) {
    if (error instanceof HttpError && error.errors?.file) return { wrong: error.errors.file[0]! }
    throw error
  }
}
