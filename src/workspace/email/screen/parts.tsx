/** Small components of the inbox. */
import { Drawing } from '#console/client/parts/icon.tsx'
import type { Label } from './mail.ts'

/** Icons of 20 px, in the console's style. */
const paths = {
  archive: 'M3 4h14v3.500H3zM4.500 7.500v9h11v-9M8 10.500h4',
  star: 'm10 3 2.100 4.500 4.900.6-3.600 3.400.9 4.900-4.300-2.400-4.300 2.400.9-4.900L3 8.100l4.900-.6L10 3Z',
  starred: 'm10 3 2.100 4.500 4.900.6-3.600 3.400.9 4.900-4.300-2.400-4.300 2.400.9-4.900L3 8.100l4.900-.6L10 3Z',
  reply: 'M8 5 3.500 9.500 8 14M4 9.500h7.500a5 5 0 0 1 5 5V16',
  all: 'M6.500 5.500 2.500 9.500l4 4M10.500 5.500l-4 4 4 4M7 9.500h5.500a4.500 4.500 0 0 1 4.500 4.500v1.500',
  forward: 'm12 5 4.500 4.500L12 14M16 9.500H8.500a5 5 0 0 0-5 5V16',
  clip: 'm14.500 9-5.300 5.300a3 3 0 0 1-4.200-4.200l6-6a2 2 0 0 1 2.900 2.900l-6 6a1 1 0 0 1-1.500-1.500L11.500 6.500',
  folder: 'M3 5h5l1.500 2H17v9H3V5Z',
  label: 'M3 3.500h6.500l7.500 7.500-6 6L3.500 9.500 3 3.500Zm3.500 3.500h.01',
  unread: 'M3 5h9M3 5v10.500h14V9M3.500 5.500 10 11l3-2.500M16 6a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z',
  bold: 'M6 4h5a3 3 0 0 1 0 6H6zM6 10h6a3 3 0 0 1 0 6H6z',
  italic: 'M9 4h6M5 16h6M12 4 8 16',
  underline: 'M6 4v5a4 4 0 0 0 8 0V4M5 17h10',
  chain:
    'M8.500 11.500a3 3 0 0 0 4.200 0l2.600-2.600a3 3 0 1 0-4.200-4.200l-.9.9m1.300 2.900a3 3 0 0 0-4.200 0l-2.600 2.600a3 3 0 1 0 4.200 4.200l.9-.9',
  bullets: 'M8 5h9M8 10h9M8 15h9M4 5h.01M4 10h.01M4 15h.01',
  numbers: 'M8.500 5H17M8.500 10H17M8.500 15H17M3 4l1.200-.7V7M3 13.300c.3-1 2.300-1 2.300.2 0 .9-2.300 2-2.300 3h2.400',
  quote: 'M4 4v12M8 6h9M8 10h9M8 14h5',
  unformat: 'M5 4h10M10 4v4M8 16h4M4 16 16 7',
} as const
export type SignName = keyof typeof paths

/** `says`: its meaning, if no text next to it gives it. */
export const Sign = ({ name, says }: { name: SignName; says?: string }) => (
  <>
    <Drawing path={paths[name]} kind={`email-sign ${name}`} />
    {says && <span class="unseen">{says}</span>}
  </>
)

export const LabelDot = ({ color }: Pick<Label, 'color'>) => (
  <svg class="email-dot" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" fill={/^#[0-9a-f]{6}$/i.test(color ?? '') ? color! : 'currentColor'} />
  </svg>
)

export const LabelChip = ({ label }: { label: Label }) => (
  <span class="tag email-label">
    <LabelDot color={label.color} /> {label.name}
  </span>
)
