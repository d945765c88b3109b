import { at } from '#console/client/addresses.ts'
import type { Stored } from '#console/client/screens/documents.ts'
import { listAddress } from '#console/client/screens/shape.ts'
import { locale } from '#console/client/screens/values.tsx'

export interface Doc extends Stored {
  description: string | null
  category_id: number | null
  category: { id: number; name: string } | null
  created_at: string
}
export interface Folder {
  id: number
  name: string
  is_active: boolean
}

/** Maximum size of a file that is previewed as text. */
const MAX_TEXT_BYTES = 256 * 1024
export const isText = ({ mime, size_bytes }: Doc) => /^text\/(plain|csv)$/.test(mime) && size_bytes <= MAX_TEXT_BYTES

/** Returns the extension as a label: `PDF` of `Contract.pdf`. */
export const kindOf = ({ original_name }: Pick<Doc, 'original_name'>) =>
  /\.([^.]{1,8})$/.exec(original_name)?.[1]?.toUpperCase() ?? ''

/** Returns the open folder: a category, documents without one, or all. */
export const openFolder = (): number | 'none' | undefined => {
  const { searchParams } = at.value
  if (searchParams.get('status') === 'uncategorized') return 'none'
  const id = Number(searchParams.get('category_id') ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
export const folderAddress = (screen: { key: string }, folder: number | 'none' | undefined) =>
  listAddress(screen) + (folder === undefined ? '' : folder === 'none' ? '?status=uncategorized' : `?category_id=${folder}`)

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
export const dayText = (instant: string) => day.format(new Date(instant))
