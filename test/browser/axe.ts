/** What axe finds wrong on a page: rules of WCAG 2.2, level AA, and good practice. */
import axe from 'axe-core'
import type { Page } from 'puppeteer-core'

/** One line for each element that a rule finds wrong. */
export async function wrongIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  // A colour on its way to another one is none that anybody reads.
  await page.evaluate(`for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()`)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`))
}
