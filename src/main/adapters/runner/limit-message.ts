import type { RunnerLimits } from '#core/ports/code-runner.ts'
import type { Limit } from './protocol.ts'

export function limitMessage(limit: Limit, limits: RunnerLimits): string {
  const dropped = 'The run was ended and its writes are dropped.'
  switch (limit) {
    case 'time':
      return `The time limit of ${limits.timeoutMs} ms was passed. ${dropped}`
    case 'memory':
      return `The memory limit of ${limits.memoryMb} MB was passed. ${dropped}`
    case 'output':
      return `The output limit of ${limits.outputBytes} bytes was passed. ${dropped}`
    case 'bridge':
      return `The limit of ${limits.bridgeCalls} file calls was passed. ${dropped}`
  }
}
