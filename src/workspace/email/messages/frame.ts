/** Renders a message as a page of its own for an iframe. No script runs, and nothing is loaded unless its reader requests it. */
import { buffer } from 'node:stream/consumers'
import type { WorkspaceSteps } from '#kernel/context.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError } from '../connections/failures.ts'
import { withMailbox } from '../connections/mailbox.ts'
import { openPlace, type Place, placeOf } from './content.ts'
import { messages } from './messages.ts'
import { cleanHtml } from './sanitising.ts'
import type { Attachment } from './schema.ts'

/** Types and limits of images that are attached to the message and shown in its text. */
const PICTURE = /^image\/(png|jpeg|gif|webp)$/
const MAX_PICTURES = 20
const MAX_PICTURE_BYTES = 1 << 20
const MAX_PICTURES_BYTES = 4 << 20

/** Links open outside of the frame; opening the page's own address applies the same sandbox. */
const policyOf = (remoteImages: boolean) =>
  [
    `default-src 'none'`,
    `style-src 'unsafe-inline'`,
    `img-src data:${remoteImages ? ' http: https:' : ''}`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'self'`,
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; ')

/** Mails are designed for a white page, whatever the theme around them. */
const STYLE = `:root{color-scheme:light}body{margin:0;padding:4px 0;background:#fff;color:#1b2026;font:14px/20px system-ui,sans-serif;overflow-wrap:anywhere}
img{max-width:100%;height:auto}pre{white-space:pre-wrap;margin:0;font:inherit}blockquote{margin:0 0 0 8px;padding:0 0 0 8px;border-left:2px solid #cfd4d9}`

/** Returns the page of a message whose body is already stored. 404 if the caller may not see it. */
export async function framed(steps: WorkspaceSteps, uuid: string, remoteImages: boolean): Promise<FileReply> {
  const place = await steps.read(async (ctx) => placeOf(ctx, await messages.find(ctx, uuid)))
  const { body_html, body_text } = place.message
  const shown = async () =>
    body_html
      ? withPictures(steps, place, remoteImages ? await cleanHtml(steps, 'remote_images', body_html, 'load') : body_html)
      : `<pre>${escapeHtml(body_text ?? '')}</pre>`
  const page = async () =>
    `<!doctype html>\n<html><head><meta charset="utf-8"><title></title><style>${STYLE}</style></head><body>${await shown()}</body></html>\n`
  return {
    name: 'message.html',
    type: 'text/html; charset=utf-8',
    disposition: 'inline',
    headers: { 'content-security-policy': policyOf(remoteImages), 'x-frame-options': 'SAMEORIGIN' },
    content: async () => Buffer.from(await page()),
  }
}

/** The format in which the sanitiser writes it. */
const EMBEDDED = /src="cid:([^"]{1,1000})"/g

/** Replaces references to embedded images by the images, if the server provides them. */
async function withPictures(steps: WorkspaceSteps, place: Place, html: string): Promise<string> {
  const asked = new Set([...html.matchAll(EMBEDDED)].map(([, id]) => id!))
  const wanted = (place.message.attachments as unknown as Attachment[])
    .filter(({ content_id, mime }) => content_id && PICTURE.test(mime) && asked.has(escapeHtml(content_id)))
    .slice(0, MAX_PICTURES)
  if (!wanted.length || place.message.uid === null) return html
  const found = await picturesOf(steps, place, wanted).catch((error) => {
    if (error instanceof MailServerError) return new Map<string, string>()
    throw error
  })
  return html.replace(EMBEDDED, (all, id: string) => (found.has(id) ? `src="${found.get(id)}"` : all))
}

/** Returns the images as data URLs, by Content-ID. One after another, until the limit is reached. */
async function picturesOf({ services }: WorkspaceSteps, place: Place, wanted: Attachment[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  await withMailbox(services, serverOf(services, place.account, 'imap'), async (mailbox) => {
    const uid = await openPlace(mailbox, place)
    let left = MAX_PICTURES_BYTES
    for (const { id, mime, content_id } of uid === undefined ? [] : wanted) {
      const most = Math.min(MAX_PICTURE_BYTES, left)
      const content = await mailbox.download(uid!, id, most + 1)
      const bytes = content && (await buffer(content).catch(() => undefined))
      if (!bytes || bytes.length > most) continue
      left -= bytes.length
      found.set(escapeHtml(content_id!), `data:${mime};base64,${bytes.toString('base64')}`)
    }
  })
  return found
}
