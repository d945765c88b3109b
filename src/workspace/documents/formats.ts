/** Allowed files of documents (DOC-07): an extension, and content that doesn't contradict it. */
import { invalid } from '#kernel/errors.ts'
import type { Upload, UploadRule } from '#kernel/storage/uploads.ts'

interface Format {
  mime: string
  /** Types that `file-type` may detect from the first bytes; '' is text, which has no signature. */
  kinds: readonly string[]
}

/** For XML formats, the first bytes may only reveal a ZIP; with a password they are an OLE container. */
const office = (mime: string, kind: string): Format => ({
  mime: `application/vnd.openxmlformats-officedocument.${mime}`,
  kinds: [kind, 'zip', 'cfb'],
})
const oldOffice = (mime: string): Format => ({ mime: `application/${mime}`, kinds: ['cfb'] })
const openDocument = (name: string, kind: string): Format => ({
  mime: `application/vnd.oasis.opendocument.${name}`,
  kinds: [kind, 'zip'],
})
/** Text formats that have a signature, and signatures that a text may begin with: "BMI", "solid", "ID3". */
const text = (mime: string): Format => ({
  mime,
  kinds: ['', 'xml', 'ics', 'vcf', 'ps', 'eps', 'pgp', 'bmp', 'stl', 'mp3'],
})
const jpeg: Format = { mime: 'image/jpeg', kinds: ['jpg'] }

const formats = new Map<string, Format>([
  ['pdf', { mime: 'application/pdf', kinds: ['pdf'] }],
  ['doc', oldOffice('msword')],
  ['docx', office('wordprocessingml.document', 'docx')],
  ['xls', oldOffice('vnd.ms-excel')],
  ['xlsx', office('spreadsheetml.sheet', 'xlsx')],
  ['ppt', oldOffice('vnd.ms-powerpoint')],
  ['pptx', office('presentationml.presentation', 'pptx')],
  ['txt', text('text/plain')],
  ['csv', text('text/csv')],
  ['rtf', { mime: 'application/rtf', kinds: ['rtf'] }],
  ['odt', openDocument('text', 'odt')],
  ['ods', openDocument('spreadsheet', 'ods')],
  ['odp', openDocument('presentation', 'odp')],
  ['jpg', jpeg],
  ['jpeg', jpeg],
  ['png', { mime: 'image/png', kinds: ['png', 'apng'] }],
  ['gif', { mime: 'image/gif', kinds: ['gif'] }],
  ['webp', { mime: 'image/webp', kinds: ['webp'] }],
  // With any content.
  ['zip', { mime: 'application/zip', kinds: ['zip', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'jar', 'epub'] }],
  ['rar', { mime: 'application/vnd.rar', kinds: ['rar'] }],
  ['7z', { mime: 'application/x-7z-compressed', kinds: ['7z'] }],
])

const extensions = `one of ${[...formats.keys()].join(', ')}`

/** Types that can be downloaded. */
export const documentTypes = [...new Set([...formats.values()].map(({ mime }) => mime))]

/** DOC-06: 51200 KB, a larger one is a 413. Content of no allowed type is rejected before it is stored. */
export const documentFile: UploadRule = {
  maxBytes: 51_200 * 1024,
  kinds: [...new Set([...formats.values()].flatMap(({ kinds }) => kinds))],
  expected: extensions,
}

/** Returns the columns of a file; 422 on `file` if its extension isn't allowed, or contradicts its content. */
export function columnsOf({ name, kind = '', bytes, key }: Upload) {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const format = formats.get(extension)
  if (!format) throw invalid({ file: `Must be ${extensions}, and have a name that says so.` })
  if (!format.kinds.includes(kind)) throw invalid({ file: `Its content is not that of a .${extension} file.` })
  return { original_name: name, mime: format.mime, size_bytes: bytes, file_key: key }
}
