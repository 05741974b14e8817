import type { FileChange } from '#shared/model/branch.ts'
import { nameOf } from '#shared/model/virtual-path.ts'

/** Why a file is folded until a person unfolds it. */
export type FoldReason = 'lock' | 'generated' | 'large'

/** Files with more changed lines are compared on request. */
const mostLines = 5000

const lockFiles: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'composer.lock',
  'gemfile.lock',
  'cargo.lock',
  'poetry.lock',
  'pipfile.lock',
  'uv.lock',
  'pdm.lock',
  'go.sum',
  'flake.lock',
  'gradle.lockfile',
  'podfile.lock',
  'mix.lock',
  'pubspec.lock',
  'packages.lock.json',
])

const generatedNames =
  /(\.min\.(js|css|mjs|cjs)|\.(js|css|mjs|cjs|ts)\.map|\.snap|\.pb\.(go|cc|h)|_pb2(_grpc)?\.py|\.g\.dart|\.generated\.\w+|\.designer\.cs)$/i
const generatedFolders = /\/(dist|build|out|coverage|node_modules|vendor|__snapshots__|__generated__|generated)\//i

/** Null for a file that is shown at once. */
export function foldReasonOf({ path, added, removed }: FileChange): FoldReason | null {
  if (lockFiles.has(nameOf(path).toLowerCase())) return 'lock'
  if (generatedNames.test(path) || generatedFolders.test(path)) return 'generated'
  return (added ?? 0) + (removed ?? 0) > mostLines ? 'large' : null
}
