/** What axe finds wrong on a page: rules of WCAG 2.2, level AA, and good practice. */
import axe from 'axe-core'
import type { Page } from 'puppeteer-core'

/** One line for each element that a rule finds wrong. */
export async function wrongIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`))
}
