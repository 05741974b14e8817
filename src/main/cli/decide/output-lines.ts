import { outputLines, printedLines } from '#shared/text/command-output.ts'
import { showsOutput, type TriedRequest } from '#shared/tools/card.ts'
import { noOutput } from '#shared/tools/card-words.ts'
import { type Line, lineOf, type Span } from '../screen/spans.ts'

/** What a call printed that was tried, or why it failed. Empty where its change says all. */
export function outputOf(request: TriedRequest): readonly Line[] {
  if (!showsOutput(request)) return []
  const { output, secrets, exit_code: code } = request.effects
  const lines = printedLines(outputLines(output, secrets), code)
  if (lines.length === 0) return [lineOf(`  ${noOutput}`, 'dim')]
  return lines.map((line) => [
    { text: '  │ ', tone: 'dim' },
    ...line.map(({ text, secret }): Span => ({ text, ...(secret && { tone: 'warn' }) })),
  ])
}
