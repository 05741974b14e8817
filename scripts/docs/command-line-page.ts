import { verbNames } from '../../src/main/cli/grammar/verbs.ts'
import { helpFor } from '../../src/main/cli/help.ts'
import { pageHead } from './markdown.ts'

/** `command-line.md`: what `--help` prints. */
export function commandLinePage(): string {
  const named = verbNames.filter((command) => command !== 'open')
  const sections = named.map((command) => `## coppice ${command}\n\n\`\`\`text\n${helpFor(command).trim()}\n\`\`\`\n`)
  return `${pageHead('The command line', '`--help`, in src/main/cli/grammar')}
\`\`\`text
${helpFor(undefined).trim()}
\`\`\`

${sections.join('\n')}`
}
