import { at } from '#console/client/addresses.ts'
import { fileAddress, listAddress } from '#console/client/screens/shape.ts'
import { locale } from '#console/client/screens/values.tsx'

export interface Doc {
  id: number
  title: string
  description: string | null
  category_id: number | null
  category: { id: number; name: string } | null
  original_name: string
  mime: string
  size_bytes: number
  creator: { id: number; name: string } | null
  created_at: string
  updated_at: string
}
export interface Folder {
  id: number
  name: string
  is_active: boolean
}

/** What browsers show by themselves, without a frame, which the page's policy has no room for. */
export const isPicture = ({ mime }: Doc) => /^image\/(png|jpeg|gif|webp)$/.test(mime)
/** What is read as text. */
const TEXT_BYTES = 256 * 1024
export const isText = ({ mime, size_bytes }: Doc) => /^text\/(plain|csv)$/.test(mime) && size_bytes <= TEXT_BYTES
/** Larger ones are not fetched only to be made small. */
const THUMBNAIL_BYTES = 2 * 1024 * 1024
export const hasThumbnail = (doc: Doc) => isPicture(doc) && doc.size_bytes <= THUMBNAIL_BYTES

/** Another content has another address: what was replaced isn't shown from the browser's store. */
export const contentAddress = ({ id, updated_at }: Doc) =>
  fileAddress(`/documents/${id}/download?v=${encodeURIComponent(updated_at)}`)
export const downloadAddress = ({ id }: Doc) => fileAddress(`/documents/${id}/download`)

/** `PDF` of `Contract.pdf`. */
export const kindOf = ({ original_name }: Pick<Doc, 'original_name'>) =>
  /\.([^.]{1,8})$/.exec(original_name)?.[1]?.toUpperCase() ?? ''

/** The folder that is open: a category, those without one, or all. */
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
