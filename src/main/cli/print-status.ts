import { escapeControls } from '#shared/base/control-characters.ts'

/**
 * Prints to standard error for a person. The text may contain file names and model output, so control characters are
 * escaped.
 */
export function printStatus(text: string): void {
  process.stderr.write(`${escapeControls(text)}\n`)
}
