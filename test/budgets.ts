/**
 * CPU time that test files may take, so that `npm test` stays a matter of minutes: what grows beyond fails the run by its name. Raising a figure is a line
 * that is reviewed; a file that needs more belongs into a stage of `.ci/run` (sets.ts), whose budgets stand in `.ci/budgets`.
 *
 * CPU time is of the process and of its children. A busy machine adds to it: figures are half as much again as a quiet one takes.
 */

/** CPU seconds of a test file that isn't named below. */
const FILE_SECONDS = 6
/** CPU seconds of files that prove something of all routes or texts, with every generated case. */
const FILES: Record<string, number> = {}
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
