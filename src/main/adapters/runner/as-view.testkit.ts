import type { PythonRun } from '#core/ports/code-runner.ts'

/** A plain folder as a view that is entered by just starting. */
export function asView(folder: string): PythonRun['view'] {
  return { folder, enter: (program) => program }
}
