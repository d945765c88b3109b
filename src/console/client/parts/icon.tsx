/** Icons of 20 px in the text colour. Decorative only: their meaning is always in the text next to them. */
const paths = {
  menu: 'M3 6h14M3 10h14M3 14h14',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm8 2-3.7-3.7',
  plus: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'm4 10.5 4 4 8-9',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  down: 'm6 8 4 4 4-4',
  left: 'm12 5-5 5 5 5',
  right: 'm8 5 5 5-5 5',
  up: 'm6 12 4-4 4 4',
  home: 'M3 9.5 10 4l7 5.5V16a1 1 0 0 1-1 1h-3.5v-4.5h-5V17H4a1 1 0 0 1-1-1V9.5Z',
  user: 'M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4Zm-6.5 6.9c.6-3 3.200-4.700 6.500-4.700s5.900 1.700 6.500 4.700',
  bell: 'M5 13.500V9a5 5 0 0 1 10 0v4.500l1.200 1H3.800l1.200-1ZM8.500 17h3',
  trash: 'M4 6h12M8 6V4h4v2m-6.500 0 .7 10.500h5.600L14.500 6',
  edit: 'M4 16l.700-3.200L13 4.500l2.500 2.500-8.300 8.300L4 16Z',
  undo: 'M7 5 3.500 8.500 7 12M4 8.500h8a4 4 0 0 1 0 8h-2',
  download: 'M10 3v9.500m0 0 4-4m-4 4-4-4M4 16.500h12',
  columns: 'M3.500 4.500h13v11h-13zM8 4.500v11M12.300 4.500v11',
  filter: 'M3.500 5h13M6 10h8M8.500 15h3',
  board: 'M3.500 4h3.500v12H3.500zM8.500 4h3.500v8H8.500zM13.500 4h3v10h-3z',
  list: 'M7 5.500h10M7 10h10M7 14.500h10M3.500 5.500h.01M3.500 10h.01M3.500 14.500h.01',
  key: 'M12.500 11a4 4 0 1 0-3.600-2.300L3.500 14v2.500H6v-2h2v-2h1.200l1-1c.7.300 1.500.500 2.300.500ZM13 6.500h.01',
  link: 'M8.500 11.500a3 3 0 0 0 4.200 0l2.600-2.600a3 3 0 1 0-4.200-4.200l-.9.9m1.300 2.900a3 3 0 0 0-4.200 0l-2.600 2.600a3 3 0 1 0 4.200 4.200l.9-.9',
  note: 'M4 4h12v8.500L12.500 16H4V4Zm8.500 12v-3.500H16M7 8h6M7 11h3',
  upload: 'M10 13V3.500m0 0-4 4m4-4 4 4M4 16.500h12',
  calendar: 'M3.500 5h13v11.500h-13zM3.500 8.500h13M7 3v3.500M13 3v3.500',
  dot: 'M10 10h.01',
  document: 'M5 3h7l3.500 3.500V17H5V3Zm7 0v3.500h3.500M7.500 10h5.500M7.500 13h5.500',
  people:
    'M7.500 9.500a2.700 2.700 0 1 0 0-5.400 2.700 2.700 0 0 0 0 5.400Zm-5 7c.4-2.700 2.300-4.200 5-4.200s4.600 1.500 5 4.200M13 4.400a2.700 2.700 0 0 1 0 4.900m1.700 3.300c1.600.6 2.600 2 2.800 3.900',
  building: 'M4 17V3.500h8V17m0-9.500h4V17M2.500 17h15M6.500 6.500h3M6.500 9.500h3M6.500 12.500h3',
  box: 'M10 3l6.500 3.500v7L10 17l-6.500-3.500v-7L10 3Zm0 7 6.500-3.500M10 10v7M10 10 3.500 6.500',
  mail: 'M3 5h14v10.500H3zM3.500 5.500 10 11l6.500-5.500',
  copy: 'M7.500 7.500h9v9h-9zM4 12.500H3.500v-9h9V4',
  grip: 'M7.500 5h.01M12.500 5h.01M7.500 10h.01M12.500 10h.01M7.500 15h.01M12.500 15h.01',
  sliders: 'M3.500 6.500h7m3 0h3M3.500 13.500h3m3 0h7M10.500 4.500h3v4h-3zM6.500 11.500h3v4h-3z',
  money: 'M3 5.500h14v9H3zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5.500 10h.01M14.500 10h.01',
} as const
export type IconName = keyof typeof paths
export const iconNames = Object.keys(paths) as IconName[]

/** Returns a screen's icon: the module's, or else that of a list. */
export const iconOf = ({ icon }: { icon: string | null }): IconName => (icon && icon in paths ? (icon as IconName) : 'list')

/** Icon from a path; `kind`: additional class. */
export const Drawing = ({ path, kind = '' }: { path: string; kind?: string }) => (
  <svg
    class={`icon ${kind}`.trimEnd()}
    viewBox="0 0 20 20"
    width="20"
    height="20"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
  >
    <path d={path} />
  </svg>
)

export const Icon = ({ name }: { name: IconName }) => <Drawing path={paths[name]} />
