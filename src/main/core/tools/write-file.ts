import { z } from 'zod'
import { fileTool, pathArgument, textArgument } from './file-tool.ts'
import { textOutput } from './tool.ts'

const schema = z.object({
  file_path: pathArgument.describe('Absolute path, "/" is the project root. Missing folders are made.'),
  content: textArgument.describe('The whole content of the file.'),
})

/** `write_file`: creates or replaces a whole file. */
export const writeFileTool = fileTool<z.infer<typeof schema>>({
  name: 'write_file',
  description:
    'Creates a file or replaces all of it. Read an existing file first, and prefer edit_file for changes: what you leave out here is gone.',
  schema,
  effect: 'overlay',
  async run({ file_path: path, content }, { files, reads }) {
    const bytes = new TextEncoder().encode(content)
    const done = await files.write(path, bytes)
    const unread =
      done === 'replaced' && !reads.has(path) ? ' It replaced content that was not read in this thread.' : ''
    const verb = done === 'created' ? 'Created' : 'Replaced'
    return textOutput(`${verb} ${path} (${bytes.length} bytes).${unread}`, [[path, files.hash(bytes)]])
  },
})
