import { z } from 'zod'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { type BaseListing, BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { GrepFile, GrepLine, GrepOutcome } from '../../ports/search.ts'
import { isGitConfig, withoutCredentials } from '../../secrets/git-credentials.ts'
import { secretContentBytes } from '../../secrets/secret-files.ts'
import type { ToolContext } from '../tool.ts'
import { failedOutput, textOutput } from '../tool.ts'
import { fileTool, pathArgument, plural } from './file-tool.ts'

const lsSchema = z.object({
  path: pathArgument.default(rootPath).describe('The folder to list. Default: "/", the project root.'),
})

const maxEntries = 1_000

/** `ls`: one folder, base and overlay merged. */
export const lsTool = fileTool<z.infer<typeof lsSchema>>({
  ...toolFacts.ls,
  description:
    'Lists one folder: one line per entry with name (folders end in /), size in bytes and time of last change, separated by tabs. Not recursive: use glob for that.',
  schema: lsSchema,
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

const globSchema = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('For example "**/*.ts" or "src/{a,b}/*.json"; relative to path, unless it begins with "/".'),
  path: pathArgument.default(rootPath).describe('The folder to look in.'),
  limit: z.int().min(1).max(2_000).default(200),
  offset: z.int().min(0).default(0),
  include_ignored: z.boolean().default(false).describe('Also files that .gitignore names, and .git.'),
})

/** `glob`: files by name. */
export const globTool = fileTool<z.infer<typeof globSchema>>({
  ...toolFacts.glob,
  description:
    'Finds files by name. * stays within a folder, ** crosses folders, ? is one character, [ab] a set, {a,b} alternatives. Sorted by path. Leaves out .git and what .gitignore names, except for changes of the branch.',
  schema: globSchema,
  async run({ pattern, path, limit, offset, include_ignored }, { files, signal }) {
    const folder = await files.leadsTo(path)
    if (!(await files.stat(folder))) return failedOutput(`There is no folder ${path}.`)
    let isCut = false
    const onCutRules = () => {
      isCut = true
    }
    const found = await files.glob(pattern, folder, include_ignored, signal, onCutRules)
    if (found.length === 0) return textOutput(`No files match ${pattern} below ${path}.`)
    if (offset >= found.length)
      return failedOutput(`Only ${plural(found.length, 'file')} match; offset ${offset} is past the end.`)
    const shown = found.slice(offset, offset + limit)
    const left = found.length - offset - shown.length
    const notice = left > 0 ? [`[${left} more of ${found.length}. Go on with offset=${offset + shown.length}.]`] : []
    return textOutput([...shown.map(shownName), ...notice, ...(isCut ? [cutRulesNotice] : [])].join('\n'))
  },
})

const cutRulesNotice =
  '[A .gitignore has more or longer rules than are read: files that it ignores may be among these.]'

const grepSchema = z.object({
  pattern: z.string().min(1).describe('A regular expression (Rust syntax, as in ripgrep), or plain text with literal.'),
  path: pathArgument.default(rootPath).describe('A folder or a file.'),
  glob: z.string().min(1).optional().describe('Only files that match, for example "*.ts".'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).default('files_with_matches'),
  context: z.int().min(0).max(20).default(0).describe('Lines before and after each match, in content mode.'),
  case_insensitive: z.boolean().default(false),
  literal: z.boolean().default(false).describe('Take the pattern as plain text.'),
  multiline: z.boolean().default(false).describe('Let the pattern span lines; . also matches line breaks.'),
  limit: z.int().min(1).max(2_000).default(200).describe('Lines of the answer.'),
  offset: z.int().min(0).default(0),
})

const maxLineCharacters = 500
/** Of files whose lines are shown, so that they need not be read again to see whether they hold a secret. */
const mostKeptBytes = 16 * 1024 * 1024

/** `grep`: files by content. */
export const grepTool = fileTool<z.infer<typeof grepSchema>>({
  ...toolFacts.grep,
  description:
    'Searches file contents. output_mode: files_with_matches lists paths, content shows "path:line:text", count gives matches per file. Leaves out .git, binary files and what .gitignore names, except for changes of the branch.',
  schema: grepSchema,
  async run(args, { files, access, signal }) {
    const path = await files.leadsTo(args.path)
    if (!(await files.stat(path))) return failedOutput(`There is nothing at ${args.path}.`)
    const query = {
      pattern: args.pattern,
      ...(args.glob !== undefined && { glob: args.glob }),
      context: args.output_mode === 'content' ? args.context : 0,
      caseInsensitive: args.case_insensitive,
      literal: args.literal,
      multiline: args.multiline,
      ...(args.output_mode === 'content' && { mostKeptBytes }),
    }
    const allowed = await withoutWithheld(await files.grep(query, path, signal), path, { files, access })
    const outcome =
      args.output_mode === 'content' ? await withoutSecrets(allowed, { ...args, path }, { files, access }) : allowed
    const lines = outcome.files.flatMap((file) => resultLines(file, args.output_mode))
    if (lines.length > 0 && args.offset >= lines.length)
      return failedOutput(`There are only ${lines.length} lines of results; offset ${args.offset} is past the end.`)
    return textOutput(
      [...page(lines, args.offset, args.limit), ...notices(outcome)].join('\n') ||
        `No matches for ${JSON.stringify(args.pattern)} below ${args.path}.`,
    )
  },
})

interface ShownOutcome extends GrepOutcome {
  readonly withheld: number
}

/**
 * Leaves out files that need approval to be read, by rules or by a name for secrets with such content. Such a file is
 * searched only when a call names it, which asks or is denied like reading it.
 */
async function withoutWithheld(
  outcome: GrepOutcome,
  path: VirtualPath,
  context: Pick<ToolContext, 'files' | 'access'>,
): Promise<ShownOutcome> {
  const { access } = context
  const kept: GrepFile[] = []
  for (const file of outcome.files) {
    const isPlain = file.path === path || access.mayRead(file.path)
    if (isPlain || (access.mayReadByRules(file.path) && (await mayShowLines(file, context)))) kept.push(file)
  }
  return { ...outcome, files: kept, withheld: outcome.files.length - kept.length }
}

/**
 * Leaves out files whose content is a key or holds a token, among those whose lines are shown. A file that the call
 * names was judged before the call.
 */
async function withoutSecrets(
  outcome: ShownOutcome,
  { path, offset, limit }: { readonly path: VirtualPath; readonly offset: number; readonly limit: number },
  { files, access }: Pick<ToolContext, 'files' | 'access'>,
): Promise<ShownOutcome> {
  const kept: GrepFile[] = []
  let lines = 0
  for (const file of outcome.files) {
    const isShown = lines < offset + limit
    if (isShown && file.path !== path && !(await mayShowLines(file, { files, access }))) continue
    kept.push(isGitConfig(file.path) ? { ...file, lines: file.lines.map(withoutCredential) } : file)
    lines += file.lines.length
  }
  return { ...outcome, files: kept, withheld: outcome.withheld + outcome.files.length - kept.length }
}

/** False also for a file that cannot be read any more. */
async function mayShowLines(
  { path, content }: GrepFile,
  { files, access }: Pick<ToolContext, 'files' | 'access'>,
): Promise<boolean> {
  try {
    // Reading settings of git leaves out their credentials, as their lines do.
    const found = isGitConfig(path) ? undefined : content
    return access.mayShow(path, found ?? (await files.read(path, { offset: 0, length: secretContentBytes })))
  } catch (error) {
    if (error instanceof FileTreeError || error instanceof BaseTreeError) return false
    throw error
  }
}

function withoutCredential(line: GrepLine): GrepLine {
  return { ...line, text: withoutCredentials(line.text) }
}

function resultLines(
  { path, matches, lines }: GrepFile,
  mode: z.infer<typeof grepSchema>['output_mode'],
): readonly string[] {
  const name = shownName(path)
  switch (mode) {
    case 'files_with_matches':
      return [name]
    case 'count':
      return [`${name}: ${matches}`]
    case 'content':
      return lines.map(({ number, text, isMatch }) =>
        isMatch ? `${name}:${number}:${clip(text)}` : `${name}-${number}-${clip(text)}`,
      )
  }
}

function clip(text: string): string {
  const line = text.replace(/\r?\n$/, '')
  return line.length > maxLineCharacters
    ? `${beginningOf(line, maxLineCharacters)}… [${line.length - maxLineCharacters} more characters]`
    : line
}

function page(lines: readonly string[], offset: number, limit: number): readonly string[] {
  const shown = lines.slice(offset, offset + limit)
  const left = lines.length - offset - shown.length
  return left > 0 ? [...shown, `[${left} more of ${lines.length}. Go on with offset=${offset + shown.length}.]`] : shown
}

function notices({ files, binarySkipped, unreadable, withheld, truncated, rulesCut }: ShownOutcome): readonly string[] {
  const nothing = files.length === 0 && (binarySkipped > 0 || unreadable > 0 || withheld > 0 || truncated)
  return [
    ...(nothing ? ['No matches in text files.'] : []),
    ...(binarySkipped > 0 ? [`[${plural(binarySkipped, 'binary file')} skipped.]`] : []),
    ...(unreadable > 0 ? [`[${plural(unreadable, 'entry', 'entries')} could not be read.]`] : []),
    ...(withheld > 0
      ? [`[${plural(withheld, 'file')} that may not be read without asking left out: name one as path to search it.]`]
      : []),
    ...(truncated ? ['[The search was stopped at its limit: there may be more. Narrow it with path or glob.]'] : []),
    ...(rulesCut ? [cutRulesNotice] : []),
  ]
}
