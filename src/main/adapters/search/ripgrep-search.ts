import { byCodeUnit } from '#core/ports/code-unit-order.ts'
import type { GrepFile, GrepQuery, Search, SearchScope } from '#core/ports/search.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { collectGrep } from './grep-results.ts'
import { runRipgrep } from './ripgrep-process.ts'
import { searchErrorIn } from './search-errors.ts'
import { openSearchRoot } from './search-folder.ts'
import { runPasses } from './search-passes.ts'

export interface RipgrepSearchOptions {
  /** Null for a scratch workspace, which has no base. */
  readonly rootFolder: string | null
  /** In the data folder: where overlay files are written out for the time of one search. */
  readonly temporaryFolder: string
  /** A folder in the project that is not part of it: nothing in it is found. */
  readonly hidden?: VirtualPath | null
}

const newline = 0x0a
const nul = 0
/** Only `.gitignore` decides, as the branch has it: no global, private or engine-specific ignore files. */
const commonArgs = ['--no-config', '--hidden', '--no-ignore-global', '--no-ignore-exclude', '--no-ignore-dot']
const skipGit = ['--iglob', '!.git']

export function createRipgrepSearch({ rootFolder, temporaryFolder, hidden = null }: RipgrepSearchOptions): Search {
  const root = rootFolder === null ? null : openSearchRoot(rootFolder)
  const within = (scope: SearchScope): SearchScope =>
    hidden === null ? scope : { ...scope, hidden: [...scope.hidden, hidden] }
  return {
    async grep(query, scope, signal) {
      const files: GrepFile[] = []
      let binarySkipped = 0
      let truncated = false
      const options = { root, temporaryFolder, globbed: query.glob !== undefined, withContent: true }
      await runPasses(options, within(scope), async (pass) => {
        const found = collectGrep(pass.translate)
        const args = [
          ...commonArgs,
          ...pass.args,
          ...grepArgs(query),
          ...skipGit,
          '-e',
          query.pattern,
          '--',
          pass.target,
        ]
        const run = await runRipgrep(args, pass.cwd, newline, found.accept, signal)
        throwErrorIn(run.errors, query.pattern)
        files.push(...found.files)
        binarySkipped += found.binarySkipped()
        truncated ||= run.truncated
      })
      return { files: files.sort((a, b) => byCodeUnit(a.path, b.path)), binarySkipped, truncated }
    },
    async files(globs, scope, signal) {
      const found: VirtualPath[] = []
      const globArgs = globs.flatMap((glob) => ['-g', glob.startsWith('/') ? glob : `/${glob}`])
      const options = { root, temporaryFolder, globbed: globs.length > 0, withContent: false }
      await runPasses(options, within(scope), async (pass) => {
        const accept = (record: Buffer) => {
          const path = pass.translate(record)
          if (path !== undefined) found.push(path)
        }
        const args = ['--files', '--null', ...commonArgs, ...pass.args, ...globArgs, ...skipGit, '--', pass.target]
        const run = await runRipgrep(args, pass.cwd, nul, accept, signal)
        throwErrorIn(run.errors, '')
      })
      return found.sort(byCodeUnit)
    },
  }
}

function grepArgs(query: GrepQuery): readonly string[] {
  return [
    '--json',
    '--binary',
    ...(query.context > 0 ? ['--context', String(query.context)] : []),
    query.caseInsensitive ? '--ignore-case' : '--case-sensitive',
    ...(query.literal ? ['--fixed-strings'] : []),
    ...(query.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(query.glob === undefined ? [] : ['-g', query.glob]),
  ]
}

function throwErrorIn(errors: string, pattern: string): void {
  const error = searchErrorIn(errors, pattern)
  if (error) throw error
}
