import { z } from 'zod'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { textOutput } from '../tool.ts'
import { fileTool, pathArgument, plural, textArgument } from './file-tool.ts'

const writeSchema = z.object({
  file_path: pathArgument.describe('Absolute path, "/" is the project root. Missing folders are made.'),
  content: textArgument.describe('The whole content of the file.'),
})

/** `write_file`: creates or replaces a whole file. */
export const writeFileTool = fileTool<z.infer<typeof writeSchema>>({
  ...toolFacts.write_file,
  description:
    'Creates a file or replaces all of it. Read an existing file first, and prefer edit_file for changes: what you leave out here is gone. An existing file keeps its encoding, byte-order mark and line ends; delete it first to change them.',
  schema: writeSchema,
  async run({ file_path: path, content }, { files, reads }) {
    const { done, bytes, isFitted } = await files.writeText(path, content)
    const unread =
      done === 'replaced' && !reads.has(path) ? ' It replaced content that was not read in this thread.' : ''
    const verb = done === 'created' ? 'Created' : 'Replaced'
    const kept = isFitted ? ' It keeps its own line ends and encoding; delete it first to change them.' : ''
    return textOutput(`${verb} ${path} (${bytes.length} bytes).${unread}${kept}`, [[path, files.hash(bytes)]])
  },
})

const deleteSchema = z.object({ path: pathArgument.describe('A file, or a folder with everything in it.') })

/** `delete`: deletes a file or a whole folder, only on the branch. */
export const deleteTool = fileTool<z.infer<typeof deleteSchema>>({
  ...toolFacts.delete,
  description: 'Deletes a file, or a folder with everything in it. A link is deleted itself, not what it points to.',
  schema: deleteSchema,
  async run({ path }, { files }) {
    const { files: count, folders, left = 0 } = await files.delete(path)
    if (folders === 0)
      return textOutput(count === 1 ? `Deleted ${path}.` : `Deleted ${path} (${plural(count, 'file')}).`)
    return textOutput(
      `Deleted the folder ${path}: ${plural(count, 'file')} and ${plural(folders, 'folder')}.${leftNote(left)}`,
    )
  },
})

function leftNote(left: number): string {
  return left === 0 ? '' : ` ${plural(left, 'file')} in it that git ignores stay in the user's folder.`
}

const moveSchema = z.object({
  from: pathArgument.describe('The file or folder to move.'),
  to: pathArgument.describe('Its new path, not the folder it goes into. Missing folders are made.'),
})

/** `move`: a rename, shown and merged as one unit. */
export const moveTool = fileTool<z.infer<typeof moveSchema>>({
  ...toolFacts.move,
  description:
    'Moves or renames a file or folder. It stays one change (a rename) for review and merge. A file at the target is replaced; a folder there is an error.',
  schema: moveSchema,
  async run({ from, to }, { files, reads }) {
    await files.move(from, to)
    const known = reads.get(from)
    return textOutput(`Moved ${from} to ${to}.`, known ? [[to, known]] : undefined)
  },
})
