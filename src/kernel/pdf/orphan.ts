/** A thread that ends its process when the parent process is gone, whatever the main thread is busy with. */
const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, 250)
