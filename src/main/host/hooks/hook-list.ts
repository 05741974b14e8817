import { hookName } from '#core/agent/stages/hook-stage.ts'
import type { Hook, HookList } from '#core/agent/types/extensions.ts'
import type { HookEnd, HookPrograms } from '#core/ports/programs/hook-programs.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { HookListView, HookView } from '#shared/contract/views/hooks.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { isPersonal } from '#shared/model/calls/hooks.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import type { McpTrust } from '../mcp/mcp-trust.ts'
import type { ClaudeSettings } from './claude-settings.ts'
import { hooksIn, type ReadHooks } from './read-hooks.ts'

export interface HookListOptions {
  /** `hooks` of the person's settings, as they are now, and the file. */
  readonly own: () => { readonly given: unknown; readonly file: string }
  /** Reads the settings of Claude Code in the person's home. */
  readonly home: () => ClaudeSettings
  /** Reads those of the project. Asked only when the folder is trusted. */
  readonly ofProject: () => Promise<readonly ClaudeSettings[]>
  readonly folderTrusted: () => boolean
  /** The project's folder as commands may name it. Empty for a workspace without one. */
  readonly folderNames: readonly string[]
  /** What a person approved of the project, by hash. */
  readonly approved: Hashes
  /** What a person switched off, by hash. */
  readonly switchedOff: Hashes
  readonly programs: HookPrograms
}

type Hashes = Pick<McpTrust, 'isTrusted' | 'trust' | 'revoke'>

/** The hooks of one project, with what a person may do with them. */
export interface ProjectHooks extends HookList {
  list(): Promise<HookListView>
  /** Throws `NOT_FOUND` for a hook that is not there any more as it was shown. */
  setApproved(hash: string, approved: boolean): Promise<void>
  setOn(hash: string, on: boolean): Promise<void>
}

const none: ReadHooks = { hooks: [], problems: [] }

export function createHookList(options: HookListOptions): ProjectHooks {
  const { approved, switchedOff, folderTrusted, programs } = options
  const begun = new Set<ThreadId>()
  const problems = new Map<string, string>()
  let personal: ReadHooks = none
  let ofProject: ReadHooks = none
  let kept: { readonly all: readonly Hook[]; readonly hooks: readonly Hook[] } = { all: [], hooks: [] }

  async function refresh(): Promise<void> {
    const { given, file } = options.own()
    personal = joined([hooksIn(given, { source: 'settings', file }), options.home()])
    ofProject = folderTrusted() ? joined(await options.ofProject()) : none
  }

  const isOn = ({ hash }: Hook) => !switchedOff.isTrusted(hash)
  const mayRun = ({ source, hash }: Hook) => isPersonal(source) || (folderTrusted() && approved.isTrusted(hash))
  const all = () => [...personal.hooks, ...ofProject.hooks]

  function requireHook(hash: string): Hook {
    const found = all().find((one) => one.hash === hash)
    if (found) return found
    throw new WireError('NOT_FOUND', 'This hook is not defined like this any more. Look at it again.')
  }

  return {
    refresh,
    /** The same list while nothing changed, because agents ask for it at every call. */
    active() {
      const hooks = all().filter((hook) => isOn(hook) && mayRun(hook))
      const isSame = hooks.length === kept.hooks.length && hooks.every((hook, index) => hook === kept.hooks[index])
      if (!isSame) kept = { all: all(), hooks }
      return kept.hooks
    },
    waiting: () => ofProject.hooks.filter((hook) => isOn(hook) && !mayRun(hook)),
    begins(threadId) {
      const isNew = !begun.has(threadId)
      begun.add(threadId)
      return isNew
    },
    begun: () => [...begun],
    run(hook, message, signal) {
      if (!folderTrusted() && namesProject(hook, options.folderNames)) return Promise.resolve(untrusted(hook))
      return programs.run(hook, message, signal)
    },
    report(hook, problem) {
      if (problem === null) problems.delete(hook.hash)
      else problems.set(hook.hash, problem)
    },
    async list() {
      await refresh()
      return {
        hooks: all().map((hook): HookView => viewOf(hook, stateOf(hook), problems.get(hook.hash) ?? null)),
        problems: [...personal.problems, ...ofProject.problems],
      }
    },
    async setApproved(hash, wanted) {
      await refresh()
      requireHook(hash)
      await (wanted ? approved.trust(hash) : approved.revoke(hash))
    },
    async setOn(hash, wanted) {
      await refresh()
      requireHook(hash)
      await (wanted ? switchedOff.revoke(hash) : switchedOff.trust(hash))
    },
  }

  function stateOf(hook: Hook): HookView['state'] {
    if (!isOn(hook)) return 'off'
    return mayRun(hook) ? 'on' : 'waits'
  }
}

function joined(read: readonly ReadHooks[]): ReadHooks {
  return { hooks: read.flatMap(({ hooks }) => hooks), problems: read.flatMap(({ problems }) => problems) }
}

function viewOf(hook: Hook, state: HookView['state'], problem: string | null): HookView {
  const { hash, event, matcher, condition, command, args, source, file, timeoutMs, inBackground, once } = hook
  // With quotes, so that each word is seen for what it is.
  const line = [command, ...(args ?? []).map(shellWord)].join(' ')
  const where = isPersonal(source) ? 'machine' : 'sandbox'
  return {
    hash,
    event,
    matcher,
    condition,
    command: line,
    source,
    file,
    where,
    state,
    problem,
    timeoutMs,
    inBackground,
    once,
  }
}

/** A folder as commands name it: whole, or from the person's home on. */
export function namesOfProject(folder: string, home: string | undefined): readonly string[] {
  const below = home === undefined || home === '' ? '' : folder.startsWith(`${home}/`) ? folder.slice(home.length) : ''
  return [
    folder,
    ...(below === '' ? [] : ['~', '$HOME', `\${HOME}`, '"$HOME"', `"\${HOME}"`].map((one) => one + below)),
  ]
}

/** True for a hook of the person that would run what stands in the project. */
function namesProject({ command, args }: Hook, folders: readonly string[]): boolean {
  return [command, ...(args ?? [])].some(
    (word) =>
      /CLAUDE_PROJECT_DIR|(?:^|[\s"'=])\.{1,2}\//.test(word) || folders.some((folder) => isNamedIn(word, folder)),
  )
}

/** Not for another folder whose name begins with the same letters. */
function isNamedIn(word: string, folder: string): boolean {
  return word
    .split(folder)
    .slice(1)
    .some((after) => !/^[\w.-]/.test(after))
}

/** A folder that nobody trusts gives nothing to run, and what was to guard its calls guards by asking, or as it says itself. */
function untrusted(hook: Hook): HookEnd {
  const reason = `${hookName(hook)} names files of a folder that you have not trusted, so it did not run`
  const answer: JsonObject = { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: reason } }
  if (hook.event === 'PreToolUse' && !hook.blocksOnFailure)
    return { exitCode: 0, stdout: JSON.stringify(answer), stderr: '', problem: null }
  return { exitCode: null, stdout: '', stderr: '', problem: 'It names files of a folder that you have not trusted.' }
}
