import type { JsonObject } from '#shared/base/json.ts'
import type { ApprovalMode, ThreadState } from '#shared/model/thread.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { accessOf } from '#shared/tools/tool-facts.ts'
import { matchRules, noRules } from '../../approval/rules.ts'
import type { HookEnd } from '../../ports/programs/hook-programs.ts'
import type { Hook } from '../types/extensions.ts'
import { fromHookInput, namesInHooks, type RealFolders, toHookInput, toHookResponse } from './claude-words.ts'
import { readHookAnswer } from './hook-answer.ts'
import { fitsMatcher } from './hook-matcher.ts'
import type { Stage, StageQuestion } from './stage.ts'

/** Where a hook runs, and how things are named there. */
export interface HookPlace {
  /** What a message to the hook begins with: the session, the working folder. */
  readonly session: JsonObject
  readonly folders: RealFolders
  /** Throws the abort reason alone. */
  run(hook: Hook, message: JsonObject, question: StageQuestion, signal: AbortSignal): Promise<HookEnd>
  /** True for one that was asked in this thread before, and is asked once. */
  wasAsked(hook: Hook): boolean
  report(hook: Hook, problem: string | null): void
}

/** A hook in the JSON of Claude Code. One that fails lets things go on, and says so, unless it is to refuse then. */
export function createHookStage(hook: Hook, place: HookPlace): Stage {
  const { event, matcher, condition, source } = hook
  return {
    name: hookName(hook),
    source,
    inTurn: false,
    isAbout({ moment, about, kind }) {
      if (moment !== event || (hook.once && place.wasAsked(hook))) return false
      const names = about ? namesInHooks(about.call.name) : kind === undefined ? [] : [kind]
      if (names.length > 0 && !fitsMatcher(matcher, names)) return false
      if (condition === null || !about) return true
      // Nobody can always tell what a command line does. A hook is asked about what it may be about.
      const { tool, args } = about
      return matchRules({ ...noRules, ask: [condition] }, { tool, access: accessOf(tool.access, args) }) !== undefined
    },
    async ask(question, signal) {
      const message = { ...place.session, ...messageOf(question, place.folders) }
      const running = place.run(hook, message, question, signal)
      if (hook.inBackground) {
        running.then(
          (end) => place.report(hook, readHookAnswer(event, end).problem ?? null),
          () => undefined,
        )
        return {}
      }
      const end = await running
      const answer = readHookAnswer(event, end, hook.blocksOnFailure)
      place.report(hook, answer.problem ?? null)
      if (!answer.input || !question.about) return answer
      const { call } = question.about
      const folders = end.folder === undefined ? place.folders : { ...place.folders, folder: end.folder }
      return { ...answer, input: fromHookInput(call.name, answer.input, folders) }
    },
  }
}

/** How people know it: by its command. */
export function hookName({ command, args }: Pick<Hook, 'command' | 'args'>): string {
  return `the hook ${beginningOf(oneLine([command, ...(args ?? [])].join(' ')), 80)}`
}

const permissionModes: Readonly<Record<ApprovalMode, string>> = {
  plan: 'plan',
  ask: 'default',
  'auto-edit': 'acceptEdits',
  auto: 'bypassPermissions',
}

function messageOf({ moment, thread, about, facts = {} }: StageQuestion, folders: RealFolders): JsonObject {
  const call = about && toHookInput(about.call.name, about.args, folders)
  return {
    hook_event_name: moment,
    permission_mode: permissionModes[thread.approvalMode],
    ...agentOf(thread),
    ...(about &&
      call && {
        ...{ tool_name: namesInHooks(about.call.name)[0], tool_input: call, tool_use_id: about.call.callId },
        ...(about.output && { tool_response: toHookResponse(about.call.name, call, about.output) }),
      }),
    ...facts,
  }
}

function agentOf({ id, parent, agentType }: ThreadState): JsonObject {
  return parent === null ? {} : { agent_id: id, agent_type: agentType }
}
