/** A thread that ends its process when the parent process is gone, whatever the main thread is busy with. */
import { parentPort } from 'node:worker_threads'

const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, 250)
parentPort?.postMessage('at work')
