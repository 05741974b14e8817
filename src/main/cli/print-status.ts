import { escapeControls } from '#shared/text/control-characters.ts'
import { terminal } from './screen/terminal.ts'

/**
 * Prints to standard error for a person. The text may contain file names and model output, so control characters are
 * escaped.
 */
export function printStatus(text: string): void {
  terminal().errors.write(`${escapeControls(text)}\n`)
}

/**
 * A problem with its cause in words. An error of the system or a refusal of the app is shown as its sentence. Any other error is
 * shown with its place in the code. A string in the place of an error only groups problems and is not shown.
 */
export function problemText(problem: string, error: unknown): string {
  if (typeof error === 'string') return /[.:!?]$/.test(problem) ? problem : `${problem}.`
  if (!(error instanceof Error)) return `${problem}: ${String(error)}`
  const isRefusal = 'code' in error && typeof error.code === 'string'
  return `${problem}: ${isRefusal ? error.message : error.stack}`
}

/** Names projects that cannot be read, so that nobody takes the rest for all there is. */
export function printLeftOut(leftOut: readonly { readonly project: string; readonly problem: string }[]): void {
  for (const { project, problem } of leftOut) printStatus(`${project} is left out: ${problem}`)
}

/** Prints the output of a program as it comes, line by line. Dispose of it for what follows the last line end. */
export function printOutput(): { readonly write: (text: string) => void } & Disposable {
  let rest = ''
  return {
    write(text) {
      const lines = (rest + text).split(/\r?\n|\r/)
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') printStatus(line)
    },
    [Symbol.dispose]() {
      if (rest.trim() !== '') printStatus(rest)
    },
  }
}
