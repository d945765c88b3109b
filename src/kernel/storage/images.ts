/** Uploaded pictures, recognised by their content and not by their name. */
import type { UploadRule } from './uploads.ts'

export type ImageKind = 'png' | 'jpg' | 'webp'

/** Upload rule for a PNG, JPEG or WebP picture; 422 on its field otherwise. */
export const picture = (maxBytes: number): UploadRule => ({
  maxBytes,
  kinds: ['png', 'jpg', 'webp'] satisfies ImageKind[],
  expected: 'a PNG, JPEG or WebP picture',
  tooLarge: 422,
})
