import { escapeControls } from '#shared/text/control-characters.ts'
import { terminal } from './screen/terminal.ts'

/**
 * Prints to standard error for a person. The text may contain file names and model output, so control characters are
 * escaped.
 */
export function printStatus(text: string): void {
  terminal().errors.write(`${escapeControls(text)}\n`)
}
