import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { type LeftBehind, type LeftKind, type LeftName, leftKinds } from '#shared/model/calls/outcome.ts'
import type { LeftFile } from '../ports/branch-mounts.ts'

/**
 * What commands leave in ignored files, in `.git` and in their home is in no patch, and later commands run it: a hook, a
 * shell's start file, a program. So it has names on the card, and rules judge it like the files of the project.
 */

const mostNamed = 200
/** More folders than this are told of as one, the root. */
const mostFolders = 20

/** Undefined when there is nothing to tell of. */
export function describeLeft(left: readonly LeftFile[]): LeftBehind | undefined {
  const told = left.filter(({ path }) => !isBookkeeping(path)).map(named)
  if (told.length === 0) return undefined
  const sorted = inOrder(told)
  const others = [...new Set(sorted.slice(mostNamed).map(({ path }) => folderAbove(path)))].sort(byCodeUnit)
  return {
    count: told.length,
    deleted: told.filter(({ gone }) => gone).length,
    files: sorted.slice(0, mostNamed),
    ...(others.length > 0 && { folders: others.length > mostFolders ? ['/'] : others }),
  }
}

/** Of each kind, so that no flood of one hides another one. Five kinds fill the twenty names of a card. */
const mostFirst = 4

/** What runs or is obeyed comes first: the first few of each kind, then all others. */
function inOrder(names: readonly LeftName[]): readonly LeftName[] {
  const kinds = leftKinds.map((kind) =>
    names.filter((one) => one.kind === kind).toSorted((a, b) => byCodeUnit(a.path, b.path)),
  )
  return [...kinds.flatMap((some) => some.slice(0, mostFirst)), ...kinds.flatMap((some) => some.slice(mostFirst))]
}

function named({ path, isGone, isProgram }: LeftFile): LeftName {
  return { path, kind: kindOf(path, isProgram), ...(isGone && { gone: true as const }) }
}

/** The folder below the root, or below the home, that a path is in. */
function folderAbove(path: string): string {
  const parts = path.split('/').slice(0, path.startsWith('~') ? 3 : 2)
  return parts.length === path.split('/').length ? parts.slice(0, -1).join('/') || '/' : parts.join('/')
}

/**
 * What git and npm write down whatever they do. Objects of git count when a reference leads to them, and that is told. No
 * program runs any of it.
 */
function isBookkeeping(path: string): boolean {
  const inGit = /\/\.git(?:\/(?:modules|worktrees)\/[^/]+)*\/(.*)$/is.exec(path)?.[1]
  if (inGit !== undefined)
    return (
      /^(?:objects\/(?!info\/)|logs\/|(?:shared)?index\b[^/]*$|(?:COMMIT_EDITMSG|ORIG_HEAD|FETCH_HEAD|gc\.(?:log|pid))$)/i.test(
        inGit,
      ) || /\.lock$/i.test(inGit)
    )
  return /^~\/(?:\.npm\/(?:_logs\/|_update-notifier-last-checked$)|\.[a-z_]*_history$|\.(?:lesshst|wget-hsts)$)/i.test(
    path,
  )
}

/** What shells and interpreters run when they start, by its path in the home. */
const startFiles = [
  /^\.(?:bash|zsh|ksh|mksh|csh|tcsh|sh|x)[a-z_]*(?:\.d\/.+)?$/i,
  /^\.z?(?:profile|login|logout)$/i,
  /^\.(?:inputrc|envrc|pythonrc|Rprofile|Renviron|irbrc|pryrc|gdbinit|lldbinit|vimrc|exrc|emacs|screenrc|tmux)/i,
  /^\.vim\/.+/i,
  /^\.config\/(?:fish|nvim|environment\.d|autostart|systemd|direnv|nushell|powershell)\/.+/i,
]
/** What Python runs at its start, wherever it finds it. */
const startsPython = /(?:^|\/)(?:site|user)customize\.py$|\.pth$/i
const compiled = /\.(?:so(?:\.\d+)*|dll|dylib|node|pyc|class|jar|wasm|exe)$/i
/** Links to programs are not marked as such. */
const folderOfPrograms = /\/(?:s?bin|\.bin)\//i

function kindOf(path: string, isProgram: boolean): LeftKind {
  const inGit = /\/\.git(?:\/(.*))?$/is.exec(path)
  if (inGit !== null) {
    const name = inGit[1]
    if (name === undefined) return 'setting'
    if (/(?:^|\/)hooks(?:\/|$)/i.test(name)) return 'hook'
    if (/(?:^|\/)(?:config(?:\.worktree)?|commondir|gitdir|info\/.+)$/i.test(name)) return 'setting'
  }
  const inHome = path.startsWith('~/') ? path.slice(2) : null
  if (startsPython.test(path) || (inHome !== null && startFiles.some((names) => names.test(inHome))))
    return 'start_file'
  if (isProgram || compiled.test(path) || folderOfPrograms.test(path)) return 'program'
  return inHome?.startsWith('.') && !inHome.startsWith('.cache/') ? 'setting' : 'file'
}
