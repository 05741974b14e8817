import { createJudge, type JudgedCall, type PolicySettings } from '../../src/main/core/approval/policy.ts'
import { noRules } from '../../src/main/core/approval/rules.ts'
import type { VirtualPath } from '../../src/shared/model/virtual-path.ts'
import { accessOf, type ToolFacts, toolFacts } from '../../src/shared/tools/tool-facts.ts'

type Options = Parameters<typeof createJudge>[0]

/** One guard, as it must hold for every tool that it is about. */
export interface Guard {
  readonly name: string
  /** Of which tools it must hold, from their facts. A new tool falls under it by itself. */
  readonly isAbout: (tool: ToolFacts) => boolean
  /** Whether it holds, judged by the real rules. */
  readonly holds: (tool: ToolFacts) => boolean
  /** What to change in `core/approval/policy.ts` so that it does not. */
  readonly mutation: string
}

const settings: PolicySettings = { interruptOn: new Map(), rules: noRules }
const path = (text: string) => text as VirtualPath

function judge(tool: ToolFacts, options: Partial<Options>, call: Partial<JudgedCall> = {}, file = '/a'): string {
  const names = [...tool.access.reads, ...tool.access.writes, ...tool.access.lists]
  const args = { ...Object.fromEntries(names.map((name) => [name, file])), ...commandOf(tool) }
  const runsAside = tool.runsAside?.(args) ?? false
  const question = { tool, access: accessOf(tool.access, args), mode: 'auto' as const, runsAside, ...call }
  return createJudge({ ...settings, sandboxed: true, ...options })(question).kind
}

function commandOf({ access: { command } }: ToolFacts): Record<string, string> {
  return command === null ? {} : { [command]: 'ls' }
}

const changes = ({ effect }: ToolFacts) => effect === 'overlay' || effect === 'outside'
const asks = (verdict: string) => verdict === 'ask' || verdict === 'try'
const withRules = (rules: Partial<typeof noRules>) => ({ rules: { ...noRules, ...rules } })
const isPlain = ({ isQuestion }: ToolFacts) => isQuestion !== true

export const guards: readonly Guard[] = [
  {
    name: 'a rule that denies it by name',
    isAbout: isPlain,
    holds: (tool) => judge(tool, withRules({ deny: [tool.name] })) === 'refuse',
    mutation: 'judge without the rules that deny',
  },
  {
    name: 'a rule that asks by name',
    isAbout: isPlain,
    holds: (tool) => asks(judge(tool, withRules({ ask: [tool.name] }))),
    mutation: 'judge without the rules that ask',
  },
  {
    name: 'Plan keeps nothing',
    isAbout: changes,
    holds: (tool) => ['refuse', 'drop'].includes(judge(tool, {}, { mode: 'plan' })),
    mutation: 'let `planRefusal` return undefined',
  },
  {
    name: 'Ask asks about changes',
    isAbout: changes,
    holds: (tool) => asks(judge(tool, {}, { mode: 'ask', effects: [{ kind: 'modify', path: path('/a') }] })),
    mutation: 'leave the mode Ask out of `defaultReason`',
  },
  {
    name: 'a secret that it reads asks',
    isAbout: ({ access, effect }) => access.reads.length > 0 && effect !== 'agents',
    holds: (tool) => asks(judge(tool, {}, { holdsSecret: path('/a') })),
    mutation: 'leave `holdsSecret` out of `defaultReason`',
  },
  {
    name: 'a secret that it replaces asks',
    isAbout: ({ access }) => access.writes.length > 0,
    holds: (tool) => asks(judge(tool, {}, { replacesSecret: path('/a') })),
    mutation: 'leave `replacesSecret` out of `defaultReason`',
  },
  {
    name: 'no trust, no word to all projects',
    isAbout: ({ access }) => access.writes.length > 0,
    holds: (tool) => judge(tool, { isTrusted: false }, {}, '/memories/user/x') === 'ask',
    mutation: 'let `leavesProject` return false',
  },
  {
    name: 'no sandbox, every command asks',
    isAbout: ({ access }) => access.command !== null,
    holds: (tool) => judge(tool, { sandboxed: false, ...withRules({ allow: [tool.name] }) }) === 'ask',
    mutation: 'let `reasonToAsk` pass commands without a sandbox',
  },
  {
    name: 'an unclear setting asks about changes',
    isAbout: changes,
    holds: (tool) => asks(judge(tool, { unclear: 'a setting names no tool' })),
    mutation: 'leave `unclear` out of `reasonToAsk`',
  },
]

export const tools: readonly ToolFacts[] = Object.values(toolFacts)
