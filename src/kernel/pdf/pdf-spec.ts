/** Storable specification of a PDF. It contains all data, so that the PDF shows their state when it was made. */
import type { Services } from '../context.ts'
import { FACTUR_X } from './factur-x.ts'
import type { RenderRequest } from './renderer.ts'
import type { DrawnPages } from './svg-pages.ts'

export interface PdfSpec {
  /** Template name, see templates.ts. */
  template: string
  data: unknown
  /** Storage keys of files, by the names that the template uses. Files deleted since are left out. */
  files?: Record<string, string>
  /** E-invoice XML (EN 16931 in CII) to attach, which makes the PDF Factur-X. */
  xml?: string | null
}

/** Renders a PDF. Call it outside any transaction, because it may wait in the queue. Throws the renderer's errors. */
export const renderPdf = async (services: Services, tenantId: number, drawing: PdfSpec): Promise<Buffer> =>
  services.pdf.render(await withFiles(services, tenantId, drawing))

/** Renders pictures of the document's pages in the same way. */
export const renderPages = async (services: Services, tenantId: number, drawing: PdfSpec): Promise<DrawnPages> =>
  services.pdf.renderPages(await withFiles(services, tenantId, drawing))

async function withFiles({ storage }: Services, tenantId: number, drawing: PdfSpec): Promise<RenderRequest> {
  const { template, data, files = {}, xml } = drawing
  const found: Record<string, Uint8Array> = {}
  for (const [name, key] of Object.entries(files)) {
    const bytes = await storage.get(key)
    if (bytes) found[name] = bytes
  }
  if (xml) found[FACTUR_X] = Buffer.from(xml)
  return { for: tenantId, template, data, files: found }
}
