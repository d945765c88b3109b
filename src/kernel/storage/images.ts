/** Pictures that people upload: judged by their bytes, not by their name. */
import { fileTypeFromBuffer } from 'file-type'
import { invalid } from '../errors.ts'
import type { UploadedFile } from '../http/route.ts'

const kinds = { png: 'png', jpg: 'jpg', webp: 'webp' } as const
export type ImageKind = keyof typeof kinds

/** The kind of an uploaded picture; 422 on its field when it is none of png, jpg, webp, or too large. */
export async function imageKind(field: string, file: UploadedFile, maxBytes: number): Promise<ImageKind> {
  const found = (await fileTypeFromBuffer(file.bytes))?.ext
  if (!found || !(found in kinds)) throw invalid({ [field]: 'Must be a PNG, JPEG or WebP picture.' })
  if (file.bytes.length > maxBytes) throw invalid({ [field]: `Must be at most ${Math.floor(maxBytes / 1024 / 1024)} MB.` })
  return found as ImageKind
}
