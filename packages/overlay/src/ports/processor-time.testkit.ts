/**
 * Returns the milliseconds of the processor that `run` takes. Tests that something grows with its length compare these:
 * the time on the clock depends on what else the machine does.
 */
export function processorTime(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
