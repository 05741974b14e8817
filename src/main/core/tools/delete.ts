import { z } from 'zod'
import { fileTool, pathArgument, plural } from './file-tool.ts'
import { textOutput } from './tool.ts'

const schema = z.object({ path: pathArgument.describe('A file, or a folder with everything in it.') })

/** `delete`: a file or a whole folder, from the branch only. */
export const deleteTool = fileTool<z.infer<typeof schema>>({
  name: 'delete',
  description: 'Deletes a file, or a folder with everything in it. A link is deleted itself, not what it points to.',
  schema,
  effect: 'overlay',
  async run({ path }, { files }) {
    const { files: count, folders } = await files.delete(path)
    if (folders === 0)
      return textOutput(count === 1 ? `Deleted ${path}.` : `Deleted ${path} (${plural(count, 'file')}).`)
    return textOutput(`Deleted the folder ${path}: ${plural(count, 'file')} and ${plural(folders, 'folder')}.`)
  },
})
