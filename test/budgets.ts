/**
 * CPU time that test files may take, so that `npm test` stays a matter of minutes: what grows beyond fails the run by its name. Raising a figure is a line
 * that is reviewed; a file that needs more belongs into a stage of `.ci/run` (sets.ts), whose budgets stand in `.ci/budgets`.
 *
 * CPU time is of the process and of its children. A busy machine adds to it: figures are half as much again as a quiet one takes.
 */

/** CPU seconds of a test file that isn't named below: 6 of its own, and as many for the product, which the first file of a process loads. */
const FILE_SECONDS = 12
/** CPU seconds of files that take more, most of them with every generated case of all routes or texts. */
const FILES: Record<string, number> = {
  'src/console/server/console.test.ts': 22,
  'src/public/mailed-links/mailed-links.test.ts': 14,
  'src/workspace/account/account.test.ts': 14,
  'src/workspace/document-texts/document-texts.test.ts': 29,
  'src/workspace/documents/uploads.test.ts': 30,
  'src/workspace/email/mailboxes.test.ts': 35,
  'src/workspace/imports/imports.test.ts': 23,
  'src/workspace/invoices/reminders/reminders.test.ts': 13,
  'src/workspace/invoices/series.test.ts': 45,
  'src/workspace/leads/imports/files.test.ts': 15,
  'src/workspace/leads/imports/imports.test.ts': 14,
  'src/workspace/leads/social-ads/social-ads.test.ts': 15,
  'src/workspace/mcp/mcp.test.ts': 35,
  'src/workspace/payments/statements/statement-formats.test.ts': 14,
  'src/workspace/purchase-orders/purchase-orders.test.ts': 14,
  'test/dry-run.test.ts': 33,
  'test/grants.test.ts': 60,
  'test/isolation.test.ts': 135,
  'test/modules.test.ts': 19,
  'test/openapi.test.ts': 40,
  'test/promises.test.ts': 85,
  'test/promises/imports.test.ts': 28,
  'test/promises/naming.test.ts': 50,
  'test/promises/records.test.ts': 55,
}
/** CPU seconds of all files of `npm test` together: those of a sampled run, and those of all generated cases. */
export const RUN_SECONDS = { sampled: 1000, all: 2000 }

interface Worked {
  path: string
  /** CPU time in milliseconds. */
  cpu: number
}

/** Returns a sentence for each file that took more than its budget, and for the run. */
export function overBudget(files: Worked[], runSeconds: number, budgets = FILES): string[] {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const over = files.flatMap(({ path, cpu }) => {
    const budget = budgets[path] ?? FILE_SECONDS
    return cpu > budget * 1000 ? [`${path} took ${seconds(cpu)} s of CPU time, more than its ${budget}.`] : []
  })
  const all = files.reduce((sum, { cpu }) => sum + cpu, 0)
  return all > runSeconds * 1000 ? [...over, `All files took ${seconds(all)} s of CPU time, more than ${runSeconds}.`] : over
}
