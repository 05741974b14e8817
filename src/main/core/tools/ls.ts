import { z } from 'zod'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { BaseListing } from '../ports/base-tree.ts'
import { fileTool, pathArgument, plural, shownName } from './file-tool.ts'
import { failedOutput, textOutput } from './tool.ts'

const schema = z.object({
  path: pathArgument.default(rootPath).describe('The folder to list. Default: "/", the project root.'),
})

const maxEntries = 1_000

/** `ls`: one folder, base and overlay merged. */
export const lsTool = fileTool<z.infer<typeof schema>>({
  name: 'ls',
  description:
    'Lists one folder: one line per entry with name (folders end in /), size in bytes and time of last change, separated by tabs. Not recursive: use glob for that.',
  schema,
  effect: 'read',
  async run({ path }, { files }) {
    const listing = await files.list(path)
    if (listing) return textOutput(report(path, listing))
    const node = await files.stat(path)
    return failedOutput(node ? `${path} is not a folder. Use read_file for files.` : `There is no folder ${path}.`)
  },
})

function report(path: string, { entries, unreadable }: BaseListing): string {
  const lines = entries.slice(0, maxEntries).map(entryLine)
  const hidden = entries.length - lines.length
  if (entries.length === 0) lines.push(`${path} is empty.`)
  if (hidden > 0)
    lines.push(
      `[${plural(hidden, 'more entry', 'more entries')} of ${entries.length}. Use glob with a pattern to narrow it down.]`,
    )
  if (unreadable > 0) lines.push(`[${plural(unreadable, 'entry', 'entries')} could not be read.]`)
  return lines.join('\n')
}

function entryLine({ name, node }: BaseListing['entries'][number]): string {
  const time = node.modified > 0 ? new Date(node.modified).toISOString() : '-'
  switch (node.kind) {
    case 'directory':
      return `${shownName(`${name}/`)}\t-\t${time}`
    case 'file':
      return `${shownName(name)}\t${node.size}\t${time}`
    case 'symlink':
      return `${shownName(name)} -> ${shownName(node.target)}\t-\t${time}`
    case 'special':
      return `${shownName(name)} (not a regular file)\t-\t${time}`
  }
}
