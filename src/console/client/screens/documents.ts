/** Stored documents in the browser, shared by all modules that have some. */
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

/** Types that browsers display in an image: the page's policy forbids frames. */
export const isPicture = ({ mime }: Stored) => /^image\/(png|jpeg|gif|webp)$/.test(mime)
/** Larger pictures are not downloaded for a thumbnail. */
const MAX_THUMBNAIL_BYTES = 2 * 1024 * 1024
export const hasThumbnail = (document: Stored) => isPicture(document) && document.size_bytes <= MAX_THUMBNAIL_BYTES

/** The address changes with the content, so that the browser's cache never shows a replaced file. */
export const contentAddress = ({ id, updated_at }: Stored) =>
  fileAddress(`/documents/${id}/download?v=${encodeURIComponent(updated_at)}`)
export const downloadAddress = ({ id }: Stored) => fileAddress(`/documents/${id}/download`)
