/** Documents as browsers show them, on the screens of whatever modules have some. */
import { fileAddress } from './shape.ts'

export interface Stored {
  id: number
  title: string
  original_name: string
  mime: string
  size_bytes: number
  creator: { id: number; name: string } | null
  updated_at: string
}

/** What browsers show by themselves, without a frame, which the page's policy has no room for. */
export const isPicture = ({ mime }: Stored) => /^image\/(png|jpeg|gif|webp)$/.test(mime)
/** Larger ones are not fetched only to be made small. */
const MAX_THUMBNAIL_BYTES = 2 * 1024 * 1024
export const hasThumbnail = (document: Stored) => isPicture(document) && document.size_bytes <= MAX_THUMBNAIL_BYTES

/** Another content has another address: what was replaced isn't shown from the browser's store. */
export const contentAddress = ({ id, updated_at }: Stored) =>
  fileAddress(`/documents/${id}/download?v=${encodeURIComponent(updated_at)}`)
export const downloadAddress = ({ id }: Stored) => fileAddress(`/documents/${id}/download`)
