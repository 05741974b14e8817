import { join } from 'node:path'
import type { GrepFile, GrepQuery, Search, SearchScope } from '#core/ports/search.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findFiles } from './find-files.ts'
import { collectGrep } from './grep-results.ts'
import { createMirrorPool } from './mirror-pool.ts'
import { runRipgrep } from './ripgrep-process.ts'
import { refuseArguments, searchErrorIn, unreadableIn } from './search-errors.ts'
import { openSearchRoot } from './search-folder.ts'
import { runPasses } from './search-passes.ts'

export interface RipgrepSearchOptions {
  /** Null for a scratch workspace, which has no base. */
  readonly rootFolder: string | null
  /** In the data folder: where overlay files are written out until the search is disposed. */
  readonly temporaryFolder: string
  /** A folder in the project that is not part of it: nothing in it is found. */
  readonly hidden?: VirtualPath | null
}

const newline = 0x0a
/** Only `.gitignore` decides, as the branch has it: no global, private or engine-specific ignore files. */
const commonArgs = ['--no-config', '--hidden', '--no-ignore-global', '--no-ignore-exclude', '--no-ignore-dot']
const skipGit = ['--iglob', '!.git']

export function createRipgrepSearch({
  rootFolder,
  temporaryFolder,
  hidden = null,
}: RipgrepSearchOptions): Search & Disposable {
  const root = rootFolder === null ? null : openSearchRoot(rootFolder)
  const mirrors = createMirrorPool(join(temporaryFolder, 'search'))
  const within = (scope: SearchScope): SearchScope =>
    hidden === null ? scope : { ...scope, hidden: [...scope.hidden, hidden] }
  return {
    async grep(query, scope, signal) {
      refuseArguments(query)
      const files: GrepFile[] = []
      let binarySkipped = 0
      let unreadable = 0
      let truncated = false
      const options = { root, mirrors, signal, globbed: query.glob !== undefined }
      await runPasses(options, within(scope), async (pass) => {
        const found = collectGrep(pass)
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
        unreadable += unreadableIn(run.errors)
        truncated ||= run.truncated
      })
      return { files: files.sort((a, b) => byCodeUnit(a.path, b.path)), binarySkipped, unreadable, truncated }
    },
    files: (globs, scope, signal) => findFiles(root, globs, within(scope), signal),
    [Symbol.dispose]: () => mirrors[Symbol.dispose](),
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
