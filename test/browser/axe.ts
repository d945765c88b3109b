/** Accessibility problems of a page found by axe: rules of WCAG 2.2, level AA, and best practices. */
import axe from 'axe-core'
import type { Page } from 'puppeteer-core'

/** Returns one line for each problem of an element. */
export async function wrongIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  // Finishes transitions: colours in between are irrelevant.
  await page.evaluate(`for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()`)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`))
}
