import { referenceOf } from '../../src/main/adapters/settings/settings-reference.ts'
import { definitionSchema } from '../../src/main/host/extensions/agents.ts'
import { code, pageHead, table } from './markdown.ts'

/** `definitions.md`: every key in the definition of a type of subagents. */
export function definitionsPage(): string {
  const rows = referenceOf(definitionSchema).map(({ path, takes, usual, description }) => [
    code(path),
    takes,
    usual === null ? '' : code(usual),
    description,
  ])
  return `${pageHead('The keys of a definition', 'definitionSchema in src/main/host/extensions/agents.ts')}
A definition describes a type of subagents. [Subagents](subagents.md) has examples. \`name\` and \`description\` are required. An unknown key is
shown in Settings → *Agents* and not used.

${table(['key', 'takes', 'default', 'meaning'], rows)}`
}
