/**
 * Adds Factur-X metadata to a PDF/A-3 (XMP, Factur-X 1.07, 6.2). Typst can't write it (typst/typst#5667). So it is appended as an
 * incremental update: a new version of the metadata object, and a cross-reference table (ISO 32000-1, 7.5.6).
 */

/** Name of the XML file in the PDF and among the template's files. */
export const FACTUR_X = 'factur-x.xml'

const NAMESPACE = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'
const VALUES = { DocumentType: 'INVOICE', DocumentFileName: FACTUR_X, Version: '1.0', ConformanceLevel: 'EN 16931' }

const properties = Object.keys(VALUES).map(
  (name) =>
    `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${name}</pdfaProperty:description></rdf:li>`,
)
const SCHEMA = `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema><pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>${properties.join('')}</rdf:Seq></pdfaSchema:property></rdf:li>`
const SAID = `<rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">${Object.entries(VALUES)
  .map(([name, value]) => `<fx:${name}>${value}</fx:${name}>`)
  .join('')}</rdf:Description>`

/** Returns the PDF with Factur-X metadata. Throws if it hasn't the structure that Typst writes. */
export function sayingFacturX(pdf: Buffer): Buffer {
  const text = pdf.toString('latin1')
  const table = Number(found(text.slice(-40), /startxref\s+(\d+)/))
  const trailer = text.slice(text.indexOf('trailer', table))
  const at = (object: string) =>
    Number(text.slice(text.indexOf('0000000000 65535', table)).split('\n')[Number(object)]!.slice(0, 10))
  const [root, size] = [found(trailer, /\/Root (\d+) 0 R/), found(trailer, /\/Size (\d+)/)]
  const metadata = found(text.slice(at(root)), /\/Metadata (\d+) 0 R/)
  const start = text.indexOf('stream\n', at(metadata)) + 'stream\n'.length
  const length = Number(found(text.slice(at(metadata)), /\/Length (\d+)/))
  const xmp = pdf.subarray(start, start + length).toString()
  const [schemas, end] = [xmp.lastIndexOf('</rdf:Bag></pdfaExtension:schemas>'), xmp.lastIndexOf('</rdf:RDF>')]
  if (schemas < 0 || end < schemas) throw new Error('The metadata of this PDF have no place for more.')
  const more = Buffer.from(xmp.slice(0, schemas) + SCHEMA + xmp.slice(schemas, end) + SAID + xmp.slice(end))
  const object = Buffer.concat([
    Buffer.from(`\n${metadata} 0 obj\n<<\n  /Length ${more.length}\n  /Type /Metadata\n  /Subtype /XML\n>>\nstream\n`),
    more,
    Buffer.from('\nendstream\nendobj\n'),
  ])
  const says = [/(\/Root \d+ 0 R)/, /(\/Info \d+ 0 R)/, /(\/ID \[[^[\]]*\])/].map((entry) => found(trailer, entry))
  const place = String(pdf.length + 1).padStart(10, '0')
  const update = `xref\n${metadata} 1\n${place} 00000 n \ntrailer\n<<\n  /Size ${size}\n  ${says.join('\n  ')}\n  /Prev ${table}\n>>\nstartxref\n${pdf.length + object.length}\n%%EOF\n`
  return Buffer.concat([pdf, object, Buffer.from(update)])
}

function found(text: string, pattern: RegExp): string {
  const match = pattern.exec(text)
  if (!match) throw new Error(`This PDF has no ${pattern.source}.`)
  return match[1]!
}
