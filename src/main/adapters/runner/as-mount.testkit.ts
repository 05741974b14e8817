import type { PythonRun } from '#core/ports/code-runner.ts'

/** A plain folder as a mount. Programs enter it unchanged. */
export function asMount(folder: string): PythonRun['mount'] {
  return { folder, enter: (program) => program }
}
