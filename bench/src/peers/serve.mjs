// Runs a peer in its own process. The peer gets one task after another, and answers with its time and result.
export function serve(run) {
  process.on('message', async (task) => {
    const started = performance.now()
    const result = await run(task)
    process.send({ ms: performance.now() - started, mb: process.memoryUsage().rss / 1024 / 1024, result })
  })
}
