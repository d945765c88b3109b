/** Creates a minimal workbook from XML parts: rows of its first sheet, shared strings, styles and properties. */
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

export function workbookOf(sheet: string, strings = '', styles = '', properties = ''): Promise<Buffer> {
  const zip = new ZipFile()
  const add = (path: string, xml: string) => zip.addBuffer(Buffer.from(xml), path)
  add('[Content_Types].xml', '<Types/>')
  const sheets = '<sheets><sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId2"/></sheets>'
  add('xl/workbook.xml', `<workbook>${properties}${sheets}</workbook>`)
  add(
    'xl/_rels/workbook.xml.rels',
    '<Relationships><Relationship Id="rId2" Target="worksheets/other.xml"/><Relationship Id="rId1" Target="/xl/worksheets/first.xml"/></Relationships>',
  )
  add('xl/worksheets/first.xml', `<worksheet><sheetData>${sheet}</sheetData></worksheet>`)
  if (strings) add('xl/sharedStrings.xml', `<sst>${strings}</sst>`)
  if (styles) add('xl/styles.xml', `<styleSheet>${styles}</styleSheet>`)
  zip.end()
  return buffer(zip.outputStream as NodeJS.ReadableStream)
}
