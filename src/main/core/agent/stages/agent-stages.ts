import type { Tree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { HookEvent, StageNote } from '#shared/model/calls/hooks.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { failedOutput, type Tool, type ToolOutput } from '../../tools/tool.ts'
import { askedEntry, askStages, type Stage, type StageQuestion, type StagesSaid, withText } from './stage.ts'
import { asOurs, joinSaid } from './their-calls.ts'

/** What calls ask stages. */
export interface CallStages {
  /** What they say about a call before it runs, or before a person is asked about it. Null when none is about it. */
  readonly beforeCall: (
    moment: 'PreToolUse' | 'PermissionRequest',
    call: CallToStage,
    signal: AbortSignal,
  ) => Promise<StagesSaid | null>
  /** The output that the agent reads. Only its text can be changed. */
  readonly filterOutput: (call: CallToStage, output: ToolOutput, signal: AbortSignal) => Promise<ToolOutput>
  /** Tells hooks about something that nothing waits for. */
  readonly tell: (moment: HookEvent, more: Pick<StageQuestion, 'kind' | 'facts'>) => void
}

/** A call with what stages are told of it. */
export interface CallToStage {
  readonly call: Pick<Call, 'callId' | 'name'>
  readonly tool: Tool
  readonly args: JsonObject
  /** Of a call of an external agent: the files that it reaches, as written and as links lead. */
  readonly reached?: readonly VirtualPath[]
  /** The branch with what the call changed. Absent before it ran. */
  readonly tree?: Tree
}

/** Texts to tell the agent before its next request, or why the run ends here. */
export interface RequestAdvice {
  readonly add: readonly string[]
  /** Why the run ends: a stage wants it, or one failed. Null when it goes on. */
  readonly end: { readonly failed: boolean; readonly message: string } | null
}

/** The stages of one agent: programs of `middleware` and hooks. */
export interface AgentStages extends CallStages {
  beforeRequest(signal: AbortSignal): Promise<RequestAdvice>
  /** What hooks say at any other moment. Null when none is about it. */
  at(
    moment: HookEvent,
    more: Pick<StageQuestion, 'kind' | 'facts'>,
    signal: AbortSignal,
  ): Promise<{ readonly said: StagesSaid; readonly entry: ReturnType<typeof askedEntry> } | null>
  /** True when the thread works for the first time since the app was started. */
  begins(): boolean
  /** Why hooks of the project do not run, for each that waits for a person's word. */
  waiting(): readonly StageNote[]
}

/** Beside the stages themselves. */
type Around = Pick<AgentStages, 'begins' | 'waiting'>

/** `stages` is read for each question, because a person may change them at any time. */
export function createAgentStages(
  stages: () => readonly Stage[],
  thread: () => ThreadState,
  around: Around,
): AgentStages {
  const ask = (question: StageQuestion, signal: AbortSignal) => askStages(stages(), question, signal)
  const asking = (moment: HookEvent, about: CallToStage): StageQuestion => ({ moment, thread: thread(), about })
  return {
    ...around,
    async beforeCall(moment, call, signal) {
      const said = await Promise.all(asOurs(call).map((one) => ask(asking(moment, one), signal)))
      return joinSaid(call, said)
    },
    async filterOutput(call, output, signal) {
      // Hooks after a call are about one that did something. A program of the person sees every result.
      const question = { moment: 'PostToolUse', thread: thread(), about: { ...call, output } } as const
      const list = stages().filter(({ source }) => output.ok || source === 'stage')
      const said = await askStages(list, question, signal)
      return said === null ? output : withSaid(output, question, said)
    },
    async beforeRequest(signal) {
      const said = await ask({ moment: 'BeforeRequest', thread: thread() }, signal)
      if (said === null) return { add: [], end: null }
      const { add, verdict, stop } = said
      if (verdict?.kind === 'refuse') return { add, end: { failed: true, message: verdict.reason } }
      return { add, end: stop === null ? null : { failed: false, message: sentence(stop) } }
    },
    async at(moment, more, signal) {
      const question = { moment, thread: thread(), ...more }
      const said = await ask(question, signal)
      return said && { said, entry: askedEntry(question, said) }
    },
    tell(moment, more) {
      ask({ moment, thread: thread(), ...more }, new AbortController().signal).catch(() => undefined)
    },
  }
}

function withSaid(output: ToolOutput, question: StageQuestion, said: StagesSaid): ToolOutput {
  const { verdict, content, add, notes } = said
  if (verdict?.kind === 'refuse') return failedOutput(verdict.reason)
  const text = content === null ? output : withText(output, content)
  const more = add.map((one) => ({ type: 'text', text: one }) as const)
  const entry = notes.some(({ source }) => source !== 'stage') ? [askedEntry(question, said)] : []
  return { ...text, content: [...text.content, ...more], entries: [...(output.entries ?? []), ...entry] }
}

/** With a capital at its beginning. */
export function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
