/** What axe finds wrong on a page: rules of WCAG 2.2, level AA, and good practice. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** One line for each element that a rule finds wrong. */
export async function wrongIn(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const violations = (await page.evaluate(`axe.run(document).then(({ violations }) => violations)`)) as Violation[]
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`))
}
