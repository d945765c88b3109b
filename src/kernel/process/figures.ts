/**
 * Metrics of all processes that share a port, aggregated, because a scrape reaches only one of them. The supervisor collects and
 * sums the metrics of all; gauges that are equal in all processes set `aggregator`.
 */
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

type Message =
  /** Process to supervisor: requests the metrics of all processes. */
  | { figures: 'wanted'; id: string }
  /** Supervisor to each process. */
  | { figures: 'asked'; id: string }
  | { figures: 'answered'; id: string; values: object[] }
  | { figures: 'told'; id: string; text: string }

/** Time for a process to reply, in milliseconds. A process that hangs is left out. */
const TIMEOUT_MS = 2000

/** Returns the function that reads metrics: of all processes if there are several, else its own. */
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

/** Installs the supervisor's side. `processes` returns the serving processes. */
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
