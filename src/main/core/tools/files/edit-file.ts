import { z } from 'zod'
import { readText, writeText } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { failedOutput, type ToolContext, type ToolOutput, textOutput } from '../tool.ts'
import { fileTool, pathArgument, plural, textArgument } from './file-tool.ts'
import { type Replacement, replaceText } from './replace-text.ts'

const maxEditedBytes = 64 * 1024 * 1024

const replacementShape = {
  old_string: textArgument.describe('The exact text to replace, with its spaces and line breaks.'),
  new_string: textArgument.describe('What takes its place.'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence instead of requiring exactly one.'),
}
const schema = z.object({
  file_path: pathArgument.describe('Absolute path, "/" is the project root.'),
  ...replacementShape,
})

/** `edit_file`: one exact replacement. */
export const editFileTool = fileTool<z.infer<typeof schema>>({
  ...toolFacts.edit_file,
  description:
    'Replaces exact text in a file. old_string must occur exactly once unless replace_all is set; give enough lines around it. Everything else in the file stays byte for byte, and new lines end as those around them. Refused when the file changed since you last read it: read it again then.',
  schema,
  run: ({ file_path, ...edit }, context) => applyEdits(file_path, [edit], context),
})

/** Makes all edits in order, or none. */
async function applyEdits(path: VirtualPath, edits: readonly Replacement[], context: ToolContext): Promise<ToolOutput> {
  const { files } = context
  const node = await files.stat(path)
  if (!node) return failedOutput(`There is no file ${path}. Use write_file to create it.`)
  if (node.kind === 'directory') return failedOutput(`${path} is a folder, not a file.`)
  if (node.kind === 'file' && node.size > maxEditedBytes)
    return failedOutput(`${path} has ${node.size} bytes, too many to edit at once (at most ${maxEditedBytes}).`)
  const bytes = await files.read(path)
  if (await isOutdated(path, bytes, context)) return failedOutput(sayOutdated(path))
  let text = readText(bytes)
  if (!text) return failedOutput(`${path} is a binary file, which is not edited as text. Change it by a command.`)
  const lines: number[] = []
  for (const [index, edit] of edits.entries()) {
    const replaced = replaceText(text, edit)
    if (!replaced.ok) {
      const which = edits.length > 1 ? `Edit ${index + 1} of ${edits.length} failed, and none was made: ` : ''
      return failedOutput(`${which}${replaced.error}`)
    }
    text = replaced.value.text
    lines.push(...replaced.value.lines)
  }
  const edited = writeText(text)
  await files.write(path, edited)
  return textOutput(
    `Edited ${path}: ${plural(lines.length, 'replacement')} (${describeLines(lines)}), ${edited.length} bytes now.`,
    [[path, files.hash(edited)]],
  )
}

/** True when the thread knew other content, or has not read its own version since the disk changed below it. */
async function isOutdated(path: VirtualPath, bytes: Uint8Array, context: ToolContext): Promise<boolean> {
  const known = context.reads.get(path)
  if (known === undefined) return false
  if (known !== context.files.hash(bytes)) return true
  const drift = await context.drift(path)
  return drift !== null && context.disk.get(drift.path)?.read !== drift.disk
}

function sayOutdated(path: VirtualPath): string {
  return `${path} changed since you last read it (on disk, by the user, or by a merge), so the edit was not made. Read it again, then repeat the edit on what it says now.`
}

function describeLines(lines: readonly number[]): string {
  const shown = lines.slice(0, 20).join(', ')
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown}${lines.length > 20 ? ', …' : ''}`
}

const multiEditSchema = z.object({
  file_path: pathArgument.describe('Absolute path, "/" is the project root.'),
  edits: z
    .array(z.object(replacementShape))
    .min(1)
    .max(200)
    .describe('In order: each works on what the one before left.'),
})

/** `multi_edit`: several exact replacements in one file, all or nothing. */
export const multiEditTool = fileTool<z.infer<typeof multiEditSchema>>({
  ...toolFacts.multi_edit,
  description:
    'Makes several exact replacements in one file, in order, all or nothing. The rules of edit_file hold for each.',
  schema: multiEditSchema,
  run: ({ file_path, edits }, context) => applyEdits(file_path, edits, context),
})
