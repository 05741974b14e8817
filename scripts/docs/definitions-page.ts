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
A definition describes a type of subagents. [Subagents](subagents.md) has examples. \`name\` and \`description\` are required; a Markdown
file without a name has that of the file. An unknown key is not used; Settings → *Agents* shows it, and \`coppice run\` names it.

${table(['key', 'takes', 'default', 'meaning'], rows)}`
}
