import { BranchViewError } from '#core/ports/branch-views.ts'

/** More than this does not belong in a patch; it would have to be held in memory. */
const mostBytes = 256 * 1024 * 1024
const mostFiles = 50_000

/** Throws when what a command changed is more than a patch may hold. */
export function checkCaptured(bytes: number, files: number): void {
  if (bytes <= mostBytes && files <= mostFiles) return
  throw new BranchViewError(
    'too_large',
    `The command wrote over ${mostBytes / 1024 / 1024} MB, or over ${mostFiles} files, that no .gitignore names. Ignore them, or write less; nothing was taken over.`,
  )
}
