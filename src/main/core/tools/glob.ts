import { z } from 'zod'
import { rootPath } from '#shared/model/virtual-path.ts'
import { fileTool, pathArgument, plural, shownName } from './file-tool.ts'
import { failedOutput, textOutput } from './tool.ts'

const schema = z.object({
  pattern: z.string().min(1).describe('For example "**/*.ts" or "src/{a,b}/*.json"; relative to path.'),
  path: pathArgument.default(rootPath).describe('The folder to look in.'),
  limit: z.int().min(1).max(2_000).default(200),
  offset: z.int().min(0).default(0),
  include_ignored: z.boolean().default(false).describe('Also files that .gitignore names, and .git.'),
})

/** `glob`: files by name. */
export const globTool = fileTool<z.infer<typeof schema>>({
  name: 'glob',
  description:
    'Finds files by name. * stays within a folder, ** crosses folders, ? is one character, [ab] a set, {a,b} alternatives. Sorted by path. Leaves out what .gitignore names and .git.',
  schema,
  effect: 'read',
  async run({ pattern, path, limit, offset, include_ignored }, { files, signal }) {
    const folder = await files.leadsTo(path)
    if (!(await files.stat(folder))) return failedOutput(`There is no folder ${path}.`)
    const found = await files.glob(pattern, folder, include_ignored, signal)
    if (found.length === 0) return textOutput(`No files match ${pattern} below ${path}.`)
    if (offset >= found.length)
      return failedOutput(`Only ${plural(found.length, 'file')} match; offset ${offset} is past the end.`)
    const shown = found.slice(offset, offset + limit)
    const left = found.length - offset - shown.length
    const notice = left > 0 ? [`[${left} more of ${found.length}. Go on with offset=${offset + shown.length}.]`] : []
    return textOutput([...shown.map(shownName), ...notice].join('\n'))
  },
})
