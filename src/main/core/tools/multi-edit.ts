import { z } from 'zod'
import { applyEdits, replacementShape } from './edit-file.ts'
import { fileTool, pathArgument } from './file-tool.ts'

const schema = z.object({
  file_path: pathArgument.describe('Absolute path, "/" is the project root.'),
  edits: z
    .array(z.object(replacementShape))
    .min(1)
    .max(200)
    .describe('In order: each works on what the one before left.'),
})

/** `multi_edit`: several exact replacements in one file, all or nothing. */
export const multiEditTool = fileTool<z.infer<typeof schema>>({
  name: 'multi_edit',
  description:
    'Makes several exact replacements in one file, in order, all or nothing. The rules of edit_file hold for each.',
  schema,
  effect: 'overlay',
  run: ({ file_path, edits }, context) => applyEdits(file_path, edits, context),
})
