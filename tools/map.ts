/**
 * `npm run map`: draws docs/map.svg, the folders of `src` and their imports, from the code. A folder is above those it imports.
 * test/tools/map.test.ts checks that it is current.
 *
 * Left out are arrows implied by a longer path, and arrows into the kernel, which everything may import. The kernel's layers are
 * those of tools/imports.ts. Elsewhere a folder is one layer above those it imports, and folders that import each other share a
 * layer. Red arrows break the layering or form a cycle.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boxOf, FLOORS, floorOf, importsOf } from './imports.ts'

/** Sections from the top of the picture to the bottom. Files directly in `src` are one node. */
const SECTIONS = ['src', 'console', 'public', 'platform', 'workspace', 'kernel'] as const
const TITLES: Record<string, string> = {
  src: 'command line and application',
  console: 'src/console: what people see, above all modules',
  public: 'src/public: pages and hooks without a session',
  platform: 'src/platform: the operator’s API',
  workspace: 'src/workspace: the modules of a workspace',
  kernel: 'src/kernel: what all of them import, and which knows none of them',
}

const WIDTH = 1240
const BOX = { height: 26, gap: 14, between: 54, letter: 6.9 }

type Graph = Map<string, Set<string>>

const sectionOf = (box: string) => box.split('/')[0]!

/** Returns the imports of each node. */
function graphOf(files: Map<string, string>): Graph {
  const graph: Graph = new Map([...files.keys()].map((path) => [boxOf(path), new Set<string>()]))
  for (const { from, to, kind } of importsOf(files)) {
    const [a, b] = [boxOf(from), boxOf(to)]
    const isGround = sectionOf(b) === 'kernel' && sectionOf(a) !== 'kernel'
    if (kind !== 'call' && a !== b && !isGround && graph.has(b)) graph.get(a)!.add(b)
  }
  return graph
}

/** Returns all nodes reachable from a node. */
function reachable(graph: Graph, from: string) {
  const found = new Set<string>()
  const walk = (box: string) => {
    for (const next of graph.get(box) ?? [])
      if (!found.has(next)) {
        found.add(next)
        walk(next)
      }
  }
  walk(from)
  return found
}

/** Returns the layer of each node of a section: by FLOORS, else one above the highest that it imports. Cycles share a layer. */
function floorsOf(graph: Graph, boxes: string[], reach: Map<string, Set<string>>) {
  const floors = new Map(boxes.flatMap((box) => (floorOf(box) === undefined ? [] : [[box, floorOf(box)!]])))
  const circle = (box: string) =>
    boxes.filter((other) => other === box || (reach.get(box)!.has(other) && reach.get(other)!.has(box)))
  const stand = (box: string): number => {
    if (floors.has(box)) return floors.get(box)!
    const ring = circle(box)
    const below = ring.flatMap((one) => [...graph.get(one)!]).filter((next) => boxes.includes(next) && !ring.includes(next))
    const floor = below.length ? 1 + Math.max(...below.map(stand)) : 0
    for (const one of ring) floors.set(one, floor)
    return floor
  }
  for (const box of boxes) stand(box)
  return floors
}

/** Draws source files given by their paths from the root. The output is deterministic. */
export function mapOf(files: Map<string, string>): string {
  const graph = graphOf(new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))))
  const reach = new Map([...graph.keys()].map((box) => [box, reachable(graph, box)]))
  const inCircle = (a: string, b: string) => reach.get(a)!.has(b) && reach.get(b)!.has(a)
  const place = new Map<string, { x: number; y: number; width: number }>()
  const shapes: string[] = []
  const nameOf = (box: string) => (sectionOf(box) === 'src' ? box : box.split('/')[1]!)
  const widthOf = (box: string) => Math.round(nameOf(box).length * BOX.letter + 18)

  let y = 16
  for (const section of SECTIONS) {
    const boxes = [...graph.keys()].filter((box) => sectionOf(box) === section).sort()
    if (!boxes.length) continue
    const floors = floorsOf(graph, boxes, reach)
    const top = y
    const labels: string[] = []
    y += 30
    for (let floor = Math.max(...floors.values()); floor >= 0; floor--) {
      const targets = (box: string) => [...graph.get(box)!].length
      // Nodes without outgoing arrows come last, so that the others are close together.
      const row = boxes
        .filter((box) => floors.get(box) === floor)
        .sort((a, b) => rank(a) - rank(b) || targets(b) - targets(a) || (a < b ? -1 : 1))
      if (!row.length) continue
      const name = Object.keys(FLOORS)[floor]
      if (section === 'kernel' && name) labels.push(`<text class="floor" x="20" y="${y + 17}">${name}</text>`)
      for (const line of linesOf(row)) {
        const whole = line.reduce((sum, box) => sum + widthOf(box) + BOX.gap, -BOX.gap)
        let x = Math.round((WIDTH - whole) / 2)
        for (const box of line) {
          place.set(box, { x, y, width: widthOf(box) })
          x += widthOf(box) + BOX.gap
        }
        y += BOX.height + (line === row ? BOX.between : BOX.gap)
      }
      if (linesOf(row).length > 1) y += BOX.between - BOX.gap
    }
    y -= BOX.between - 16
    shapes.push(
      `<rect class="section" x="8" y="${top}" width="${WIDTH - 16}" height="${y - top}" rx="6"/>`,
      `<text class="title" x="20" y="${top + 19}">${TITLES[section]}</text>`,
      ...labels,
    )
    y += 30
  }

  /** Mean position of the nodes that import it. Rows are placed from the top. */
  function rank(box: string) {
    const above = [...graph].flatMap(([from, to]) => (to.has(box) && place.has(from) ? [place.get(from)!] : []))
    return above.length ? Math.round(above.reduce((sum, { x, width }) => sum + x + width / 2, 0) / above.length) : WIDTH
  }
  function linesOf(row: string[]) {
    const lines: string[][] = [[]]
    let taken = 0
    for (const box of row) {
      if (taken + widthOf(box) > WIDTH - 60) {
        lines.push([])
        taken = 0
      }
      lines.at(-1)!.push(box)
      taken += widthOf(box) + BOX.gap
    }
    return lines.length > 1 ? lines : [row]
  }

  for (const [from, all] of graph)
    for (const to of [...all].sort()) {
      const circular = inCircle(from, to)
      // Nodes of a cycle reach the same nodes, so a longer path must use others.
      const isOther = (box: string) => box !== to && !inCircle(box, from) && !inCircle(box, to)
      if (!circular && [...all].some((next) => isOther(next) && reach.get(next)!.has(to))) continue
      const upwards = place.get(from)!.y > place.get(to)!.y
      shapes.push(arrow(place.get(from)!, place.get(to)!, circular || upwards ? 'circle' : 'arrow', `${from} → ${to}`))
    }
  for (const [box, { x, y, width }] of [...place].sort(([a], [b]) => (a < b ? -1 : 1)))
    shapes.push(
      `<g><rect class="box" x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="4"/>` +
        `<text x="${x + width / 2}" y="${y + 17}" text-anchor="middle">${nameOf(box)}</text></g>`,
    )

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y - 14}" font-family="system-ui, sans-serif" font-size="12">
<title>What the folders of src import of each other</title>
<!-- Written by \`npm run map\` from the imports. Changes made by hand are lost. -->
<style>
.section { fill: #f6f7f9; stroke: #d5d9e0 } .box { fill: #fff; stroke: #5b6780 } .title { fill: #5b6780; font-weight: 600 } .floor { fill: #5b6780 } text { fill: #1d2433 }
.arrow, .circle { fill: none; stroke: #7d8aa5; opacity: 0.75 } .circle { stroke: #c62f2f }
</style>
<defs>
<marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 6 3 0 6z" fill="#7d8aa5"/></marker>
<marker id="red" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 6 3 0 6z" fill="#c62f2f"/></marker>
</defs>
<rect width="${WIDTH}" height="${y - 14}" fill="#fff"/>
${shapes.join('\n')}
</svg>
`
}

interface Place {
  x: number
  y: number
  width: number
}

/** Draws an arrow: downwards to a lower node, or over the tops of both on the same layer. */
function arrow(from: Place, to: Place, kind: 'arrow' | 'circle', title: string) {
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2]
  const level = from.y === to.y
  const [y1, y2] = level ? [from.y, to.y] : [from.y + BOX.height, to.y]
  const bend = level ? -Math.min(44, 12 + Math.abs(x1 - x2) / 8) : (y2 - y1) / 2
  const path = level
    ? `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 + bend} ${x2} ${y2}`
    : `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`
  return `<path class="${kind}" d="${path}" marker-end="url(#${kind === 'circle' ? 'red' : 'tip'})"><title>${title}</title></path>`
}

/** Returns the map of the current code. */
export function currentMap(root: string) {
  const paths = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  return mapOf(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  writeFileSync(join(root, 'docs/map.svg'), currentMap(root))
}
