/** What a file opened and its end has to close. Node runs no `after` where a name pattern leaves none of a file's tests: its lane closes then. */
const open = new Set<() => Promise<void>>()

/** The given work, which is done at the first call. */
export function onceAtEnd(work: () => Promise<void>) {
  const close = async () => {
    if (open.delete(close)) await work()
  }
  open.add(close)
  return close
}

export const closeWhatIsOpen = () => Promise.all([...open].map((close) => close()))
