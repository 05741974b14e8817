import { isWithin, joinPath, rootPath } from '#shared/model/virtual-path.ts'
import { shellWord, shownName } from '#shared/text/control-characters.ts'
import { folderVariable, type MountView } from '../ports/branch-mounts.ts'
import type { CommandShell, ShellOutcome } from '../ports/shell.ts'

/** The commits of one repository, for its hooks. */
export interface HookedRepository {
  /** Its folder, relative to the project: empty for the one around the project. */
  readonly repository: string
  /** Of the project below the top of the repository: empty, or a path that ends with a slash. */
  readonly prefix: string
  readonly branch: string
  /** The commit that the first one stands on. */
  readonly base: string
  /** The commits, as `OpenDelivery.streamOf` has them, in base64. */
  readonly stream: string
  readonly messages: readonly string[]
  /** Where settings say that the hooks are. Null for the usual place. */
  readonly hooksFolder: string | null
}

/** What the hooks of one repository said. */
export interface HooksAnswer {
  readonly repository: string
  /** Names of those that ran, in order. Empty for none. */
  readonly ran: readonly string[]
  /** Why its commits may not be made, as a sentence. Null when no hook refused. */
  readonly problem: string | null
  /** What a person must know beside it, as sentences. */
  readonly notes: readonly string[]
  /** The messages, as hooks left them. */
  readonly messages: readonly string[]
}

export interface HookPlace {
  readonly shell: CommandShell
  readonly view: MountView
  readonly timeoutMs: number
  /** Gets the output of hooks as it comes. */
  readonly onOutput: (text: string) => void
}

/**
 * Runs the hooks that `git commit` would run before it commits, in a view that nobody keeps: `pre-commit` once, where the index has
 * everything that is to be committed, and those about messages for each message. Git of the view stands on the branch of the
 * delivery. A hook that refuses is an answer. Throws `ShellError`, and the abort reason.
 */
export async function runHooks(one: HookedRepository, place: HookPlace, signal: AbortSignal): Promise<HooksAnswer> {
  const { repository, messages } = one
  const answer = { repository, ran: [], problem: null, notes: [], messages }
  if (one.prefix !== '')
    return {
      ...answer,
      notes: [
        `The hooks of the repository did not run, because the project is the folder ${shownName(one.prefix.slice(0, -1))} in it and a view has nothing around the project. Open the whole repository as a project to run them.`,
      ],
    }
  const run = (script: string, input?: string) =>
    place.shell.execute(
      {
        command: `cd -- ${folderIn(place.view, repository)} || exit 1\n${settingsOf(one)}\n${script}`,
        ...{ timeoutMs: place.timeoutMs, mount: place.view, onOutput: input === undefined ? place.onOutput : () => {} },
        ...(input !== undefined && { input }),
      },
      signal,
    )
  const prepared = await run(prepareScript(one), one.stream)
  const found = findHooks(prepared.output)
  if (prepared.exitCode !== 0 || found === null)
    return { ...answer, problem: `Git in the view could not be prepared for the hooks: ${lastLine(prepared.output)}` }
  const notes = notesOf(one, found)
  if (found.hooks.length === 0) return { ...answer, notes }
  const ran: string[] = []
  if (found.hooks.includes('pre-commit')) {
    ran.push('pre-commit')
    const problem = problemOf('pre-commit', await run('"$hooks/pre-commit"'), place.timeoutMs)
    if (problem !== null) return { ...answer, ran, notes, problem }
  }
  const ofMessages = found.hooks.filter((hook) => hook !== 'pre-commit')
  if (ofMessages.length === 0) return { ...answer, ran, notes }
  ran.push(...ofMessages)
  const written: string[] = []
  for (const message of messages) {
    const stored = await run('cat > "$message"', `${message.trimEnd()}\n`)
    if (stored.exitCode !== 0) return { ...answer, ran, notes, problem: 'A message could not be given to the hooks.' }
    for (const hook of ofMessages) {
      const kind = hook === 'prepare-commit-msg' ? ' message' : ''
      const problem = problemOf(hook, await run(`"$hooks/${hook}" "$message"${kind}`), place.timeoutMs)
      if (problem !== null) return { ...answer, ran, notes, problem }
    }
    const read = await run('cat "$message"', '')
    written.push(read.output)
  }
  return { ...answer, ran, notes, messages: written }
}

/** As a word of a shell. */
function folderIn({ others = [] }: MountView, repository: string): string {
  const folder = joinPath(rootPath, repository)
  const other = others.find(({ path }) => isWithin(folder, path))
  if (other === undefined) return shellWord(`./${repository}`)
  return `"$${folderVariable(other.name)}"${shellWord(`/${folder.slice(other.path.length + 1)}`)}`
}

/** What `git commit` gives to its hooks. */
function settingsOf({ hooksFolder }: HookedRepository): string {
  const chosen = hooksFolder === null ? '' : ` -c core.hooksPath=${shellWord(hooksFolder)}`
  return [
    `hooks=$(git${chosen} rev-parse --git-path hooks) || exit 1`,
    'message=$(git rev-parse --git-path COMMIT_EDITMSG)',
    'case "$hooks" in /*) ;; *) hooks=./$hooks ;; esac',
    'GIT_INDEX_FILE=$(git rev-parse --git-path index)',
    'export GIT_INDEX_FILE',
    'export GIT_EDITOR=: GIT_PREFIX=',
  ].join('\n')
}

const hookNames = ['pre-commit', 'prepare-commit-msg', 'commit-msg'] as const
const foundMark = 'coppice-found'

/** A lock or a merge on its way in the person's repository is copied into the view with it, and means nothing there. */
function prepareScript({ branch, base }: HookedRepository): string {
  const ref = shellWord(`refs/heads/${branch}`)
  return [
    'rm -f "$GIT_INDEX_FILE.lock" "$(git rev-parse --git-path MERGE_HEAD)"',
    'base64 -d | git fast-import --quiet --done --force --date-format=raw || exit 1',
    `git update-ref --no-deref ${ref} ${base} && git symbolic-ref HEAD ${ref} || exit 1`,
    // Keeps what the index says of files that hooks do not see.
    "git read-tree --reset 'refs/coppice/delivery^{tree}' || exit 1",
    'git update-ref -d refs/coppice/delivery',
    'git update-index -q --refresh > /dev/null 2>&1',
    `[ -d "$hooks" ] && echo ${foundMark} folder || echo ${foundMark} none`,
    `for hook in ${hookNames.join(' ')}; do [ -x "$hooks/$hook" ] && echo ${foundMark} "$hook" || { [ -f "$hooks/$hook" ] && echo ${foundMark} not-executable "$hook"; }; done`,
    'true',
  ].join('\n')
}

interface FoundHooks {
  readonly hasFolder: boolean
  readonly hooks: readonly string[]
  readonly notExecutable: readonly string[]
}

/** Null when the script did not come to its end. */
function findHooks(output: string): FoundHooks | null {
  const lines = output.split('\n').flatMap((line) => {
    const [mark, ...words] = line.trim().split(' ')
    return mark === foundMark ? [words] : []
  })
  if (lines.length === 0) return null
  return {
    hasFolder: lines.some(([word]) => word === 'folder'),
    hooks: hookNames.filter((name) => lines.some(([word]) => word === name)),
    notExecutable: lines.flatMap(([word, hook]) => (word === 'not-executable' && hook !== undefined ? [hook] : [])),
  }
}

function notesOf({ repository, hooksFolder }: HookedRepository, found: FoundHooks): readonly string[] {
  const where = repository === '' ? 'The repository' : `The repository ${shownName(`/${repository}`)}`
  const notes = found.notExecutable.map(
    (hook) => `Git ignores the hook ${hook}, because it may not be run. Let it with: chmod +x`,
  )
  if (found.hooks.length > 0 || notes.length > 0) return notes
  if (!found.hasFolder && hooksFolder !== null)
    return [
      `The hooks of the repository did not run: core.hooksPath says ${shownName(hooksFolder)}, and views have no such folder.`,
    ]
  return [`${where} has no hook that runs before a commit.`]
}

function problemOf(hook: string, outcome: ShellOutcome, timeoutMs: number): string | null {
  const { endedBy, exitCode, signal, reached } = outcome
  if (endedBy === 'time') return `The hook ${hook} did not end within ${timeoutMs / 1000} s, so it was ended.`
  if (endedBy !== 'itself') return `The hook ${hook} was ended. ${reached ?? 'It reached a limit'}.`
  if (exitCode === 0) return null
  return exitCode === null
    ? `The hook ${hook} was ended by ${signal}.`
    : `The hook ${hook} refused (exit code ${exitCode}).`
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) || 'it did not say why.'
}
