/** A workbook of XML parts, as far as it must be one: the rows of its first sheet, and its shared strings. */
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

export function workbookOf(sheet: string, strings = ''): Promise<Buffer> {
  const zip = new ZipFile()
  const add = (path: string, xml: string) => zip.addBuffer(Buffer.from(xml), path)
  add('[Content_Types].xml', '<Types/>')
  add('xl/workbook.xml', '<workbook><sheets><sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId2"/></sheets></workbook>')
  add(
    'xl/_rels/workbook.xml.rels',
    '<Relationships><Relationship Id="rId2" Target="worksheets/other.xml"/><Relationship Id="rId1" Target="/xl/worksheets/first.xml"/></Relationships>',
  )
  add('xl/worksheets/first.xml', `<worksheet><sheetData>${sheet}</sheetData></worksheet>`)
  if (strings) add('xl/sharedStrings.xml', `<sst>${strings}</sst>`)
  zip.end()
  return buffer(zip.outputStream as NodeJS.ReadableStream)
}
