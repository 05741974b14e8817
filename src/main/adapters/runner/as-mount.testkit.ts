import type { PythonRun } from '#core/ports/code-runner.ts'

/** A plain folder as a mount that is entered by just starting. */
export function asMount(folder: string): PythonRun['mount'] {
  return { folder, enter: (program) => program }
}
