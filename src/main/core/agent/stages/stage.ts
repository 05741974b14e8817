import type { Tree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { HookEvent, StageNote } from '#shared/model/calls/hooks.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Tool, ToolOutput } from '../../tools/tool.ts'

/** When stages are asked. Only programs of `middleware` are asked before each request. */
export type StageMoment = HookEvent | 'BeforeRequest'

/** What a stage is asked about. */
export interface StageQuestion {
  readonly moment: StageMoment
  readonly thread: ThreadState
  /** The call that it is about. Absent for none. */
  readonly about?: CallQuestion
  /** What matchers of the moment are about, where that is not a tool: how a session starts, the type of an agent. */
  readonly kind?: string
  /** What hooks are told beside that, in Claude Code's words. */
  readonly facts?: JsonObject
}

export interface CallQuestion {
  readonly call: Pick<Call, 'callId' | 'name'>
  readonly tool: Tool
  readonly args: JsonObject
  /** Of a call of an external agent: the files that it reaches, as written and as links lead. */
  readonly reached?: readonly VirtualPath[]
  /** Set for a call that ran. */
  readonly output?: ToolOutput
  /** The branch with what the call changed. Absent for the branch as it is. */
  readonly tree?: Tree
}

/** What one stage says, whatever its dialect. Everything is optional: an empty answer lets things be. */
export interface StageAnswer {
  readonly verdict?: { readonly kind: 'refuse' | 'ask' | 'allow'; readonly reason: string }
  /** Other arguments of the call, in the words of our tools. */
  readonly input?: JsonObject
  /** The text of the result from now on. */
  readonly content?: string
  /** For the agent. */
  readonly add?: string
  /** For the person. */
  readonly said?: string
  /** Why the run is to end. */
  readonly stop?: string
  /** Why there is no answer, or not all of it. */
  readonly problem?: string
}

/**
 * A part of an agent that belongs to the person or to the project and is asked at some moments: a program of `middleware`, or a
 * hook. Each dialect has a file of its own; what answers mean is decided here, once for both.
 */
export interface Stage {
  /** For people. */
  readonly name: string
  readonly source: StageNote['source']
  /** True for one that must not be asked beside others, and sees what those before it left. */
  readonly inTurn: boolean
  isAbout(question: StageQuestion): boolean
  /** A stage that fails says so in its answer. Throws the abort reason alone. */
  ask(question: StageQuestion, signal: AbortSignal): Promise<StageAnswer>
}

/** What all stages said together. */
export interface StagesSaid {
  readonly notes: readonly StageNote[]
  /** The strictest. Null when none had anything to say. */
  readonly verdict: NonNullable<EntryOf<'stages.asked'>['verdict']> | null
  /** Null for the arguments as they were. */
  readonly input: { readonly by: string; readonly args: JsonObject } | null
  /** Null for the text as it was. */
  readonly content: string | null
  readonly add: readonly string[]
  readonly stop: string | null
}

/** Verdicts by strictness. */
export const strictness = { refuse: 2, ask: 1, allow: 0 } as const

/** Only hooks of the person may allow something. */
function mayAllow({ source }: Pick<Stage, 'source'>): boolean {
  return source === 'settings' || source === 'home'
}

/**
 * Asks the stages that a question is about. Those in turn see what others left and are not asked after a refusal; all others
 * are asked at the same time, about the same: the first of them that changes something has its way, so that no hook of a project
 * takes back what one of the person left out. Null when there are none.
 */
export async function askStages(
  stages: readonly Stage[],
  question: StageQuestion,
  signal: AbortSignal,
): Promise<StagesSaid | null> {
  const asked = stages.filter((stage) => stage.isAbout(question))
  if (asked.length === 0) return null
  let said: StagesSaid = { notes: [], verdict: null, input: null, content: null, add: [], stop: null }
  for (const stage of asked.filter(({ inTurn }) => inTurn)) {
    said = withAnswer(said, stage, await stage.ask(asLeft(question, said), signal))
    if (said.verdict?.kind === 'refuse' || said.stop !== null) return said
  }
  const beside = asked.filter(({ inTurn }) => !inTurn)
  const left = asLeft(question, said)
  const answers = await Promise.all(beside.map((stage) => stage.ask(left, signal)))
  const before = said
  for (const [index, stage] of beside.entries())
    said = withAnswer(said, stage, withoutLateChange(answers[index] ?? {}, before, said))
  return said
}

/** The answer of a stage that knew nothing of the changes that others made since. */
function withoutLateChange(answer: StageAnswer, before: StagesSaid, now: StagesSaid): StageAnswer {
  const { input, content, ...rest } = answer
  const isLate =
    (input !== undefined && now.input !== before.input) || (content !== undefined && now.content !== before.content)
  return isLate ? { ...rest, problem: 'What it changed was not used, because another hook had changed it.' } : answer
}

/** The question as the stages before left it. */
function asLeft(question: StageQuestion, { input, content }: StagesSaid): StageQuestion {
  const { about } = question
  if (!about || (input === null && content === null)) return question
  const output = about.output && content !== null && { output: withText(about.output, content) }
  return { ...question, about: { ...about, ...(input && { args: input.args }), ...output } }
}

/** The output with another text. */
export function withText(output: ToolOutput, text: string): ToolOutput {
  return { ...output, content: [{ type: 'text', text }] }
}

function withAnswer(said: StagesSaid, stage: Stage, answer: StageAnswer): StagesSaid {
  const { name, source } = stage
  const { input, content, add, stop } = answer
  const given = verdictOf(stage, answer)
  const isStricter =
    given !== undefined && (said.verdict === null || strictness[given.kind] > strictness[said.verdict.kind])
  const note: StageNote = {
    ...{ by: name, source },
    ...(given && { verdict: given.kind, ...(given.reason !== '' && { reason: given.reason }) }),
    ...(input ? { changed: 'input' as const } : content === undefined ? {} : { changed: 'result' as const }),
    ...(answer.said !== undefined && { said: answer.said }),
    ...(answer.problem !== undefined && { problem: answer.problem }),
  }
  return {
    notes: [...said.notes, note],
    verdict: isStricter ? { kind: given.kind, by: name, reason: given.reason } : said.verdict,
    input: input ? { by: name, args: input } : said.input,
    content: content ?? said.content,
    add: add === undefined ? said.add : [...said.add, add],
    stop: said.stop ?? (stop === undefined ? null : `${name} ended the run: ${stop}`),
  }
}

/** A stage of a project may not allow anything, and a person must see the arguments that it gives. */
function verdictOf(stage: Stage, { verdict, input }: StageAnswer): StageAnswer['verdict'] {
  if (mayAllow(stage) || stage.source === 'stage') return verdict
  if (input && verdict?.kind !== 'refuse') return { kind: 'ask', reason: 'it changed the arguments' }
  return verdict?.kind === 'allow' ? undefined : verdict
}

/** What the journal keeps of it, so that nobody is asked again about the same. */
export function askedEntry(
  { moment, about }: StageQuestion,
  said: StagesSaid,
  more: { readonly messageId?: EntryOf<'stages.asked'>['messageId'] } = {},
): Omit<EntryOf<'stages.asked'>, 'sequence' | 'threadId' | 'at'> {
  return {
    ...{ type: 'stages.asked', moment, callId: about?.call.callId ?? null, notes: said.notes },
    ...(said.verdict && { verdict: said.verdict }),
    ...(about && !about.output && { about: about.args }),
    ...(said.input && { input: said.input.args, changedBy: said.input.by }),
    ...(more.messageId !== undefined && { messageId: more.messageId }),
    ...(said.stop !== null && { stop: said.stop }),
  }
}
