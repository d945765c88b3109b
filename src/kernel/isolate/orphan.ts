/** Thread that kills its process once the parent process is gone, even if the main thread is blocked. */
import { parentPort } from 'node:worker_threads'

const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, 250)
parentPort?.postMessage('at work')
