/**
 * Teardown of a file's resources. Node runs no `after` where a name pattern selects none of a file's tests: the worker runs it
 * then.
 */
const open = new Set<() => Promise<void>>()

/** Returns a teardown that runs once. */
export function onceAtEnd(work: () => Promise<void>) {
  const close = async () => {
    if (open.delete(close)) await work()
  }
  open.add(close)
  return close
}

export const closeWhatIsOpen = () => Promise.all([...open].map((close) => close()))
