/**
 * The figures of all processes that share a port, as one: whoever asks reaches any of them. It asks the process that watches over them,
 * which asks each and adds up; gauges that are the same for all say so themselves (`aggregator`).
 */
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

type Message =
  /** A process to its supervisor: somebody wants the figures of all. */
  | { figures: 'wanted'; id: string }
  /** The supervisor to each process. */
  | { figures: 'asked'; id: string }
  | { figures: 'answered'; id: string; values: object[] }
  | { figures: 'told'; id: string; text: string }

/** Milliseconds that a process has to answer: one that hangs is left out. */
const TIMEOUT_MS = 2000

/** How a process reads the figures: of all where there are several, else its own. */
export function figuresOf(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics()
  const waiting = new Map<string, (text: string) => void>()
  process.on('message', async (message: Message) => {
    if (message.figures === 'asked')
      process.send?.({ figures: 'answered', id: message.id, values: await registry.getMetricsAsJSON() } satisfies Message)
    if (message.figures === 'told') waiting.get(message.id)?.(message.text)
  })
  return async () => {
    const id = crypto.randomUUID()
    try {
      return await new Promise<string>((tell, fail) => {
        waiting.set(id, tell)
        setTimeout(fail, 2 * TIMEOUT_MS, new Error('The figures of the other processes did not come.')).unref()
        process.send?.({ figures: 'wanted', id } satisfies Message)
      })
    } finally {
      waiting.delete(id)
    }
  }
}

/** The supervisor's side. `processes` are those that serve. */
export function startReadable(processes: () => Worker[]) {
  cluster.on('message', async (reader, message: Message) => {
    if (message.figures !== 'wanted') return
    const { id } = message
    const answers = await Promise.all(processes().map((one) => ask(one, id)))
    const all = AggregatorRegistry.aggregate(answers.filter((values) => values !== undefined))
    const text = await all.metrics()
    if (reader.isConnected()) reader.send({ figures: 'told', id, text } satisfies Message)
  })
}

const ask = (one: Worker, id: string) =>
  new Promise<object[] | undefined>((tell) => {
    const finish = (values?: object[]) => {
      clearTimeout(impatient)
      one.off('message', listen)
      tell(values)
    }
    const listen = (message: Message) => {
      if (message.figures === 'answered' && message.id === id) finish(message.values)
    }
    const impatient = setTimeout(finish, TIMEOUT_MS)
    one.on('message', listen)
    if (one.isConnected()) one.send({ figures: 'asked', id } satisfies Message)
    else finish()
  })
