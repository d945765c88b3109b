/** A PDF still to be drawn, in a form that can be stored: what is printed is what was true when it was made. */
import type { Services } from '../context.ts'
import { FACTUR_X } from './factur-x.ts'
import type { RenderRequest } from './renderer.ts'
import type { DrawnPages } from './svg-pages.ts'

export interface PdfSpec {
  /** A template's name, see templates.ts. */
  template: string
  data: unknown
  /** Keys in the storage, by the names that the template knows. One that was deleted since is left out. */
  files?: Record<string, string>
  /** The e-invoice inside it (EN 16931 in CII), which makes it Factur-X; the template attaches it. */
  xml?: string | null
}

/** Draws it, outside any transaction: printing waits for its turn. Errors are the printer's. */
export const renderPdf = async (services: Services, tenantId: number, drawing: PdfSpec): Promise<Buffer> =>
  services.pdf.render(await withFiles(services, tenantId, drawing))

/** Draws pictures of its pages in the same way. */
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
