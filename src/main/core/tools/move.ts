import { z } from 'zod'
import { fileTool, pathArgument } from './file-tool.ts'
import { textOutput } from './tool.ts'

const schema = z.object({
  from: pathArgument.describe('The file or folder to move.'),
  to: pathArgument.describe('Its new path, not the folder it goes into. Missing folders are made.'),
})

/** `move`: a rename, shown and merged as one unit. */
export const moveTool = fileTool<z.infer<typeof schema>>({
  name: 'move',
  description:
    'Moves or renames a file or folder. It stays one change (a rename) for review and merge. A file at the target is replaced; a folder there is an error.',
  schema,
  effect: 'overlay',
  async run({ from, to }, { files, reads }) {
    await files.move(from, to)
    const known = reads.get(from)
    return textOutput(`Moved ${from} to ${to}.`, known ? [[to, known]] : undefined)
  },
})
