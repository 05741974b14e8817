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
  /** A text of `core/approval/policy.ts`, and the text that takes the guard away. */
  readonly mutation: readonly [text: string, without: string]
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
    mutation: [
      "const rule = matchRules(settings.rules, question)\n  if (rule?.effect === 'deny')",
      'const rule = matchRules(settings.rules, question)\n  if (rule === null)',
    ],
  },
  {
    name: 'a rule that asks by name',
    isAbout: isPlain,
    holds: (tool) => asks(judge(tool, withRules({ ask: [tool.name] }))),
    mutation: ["rule?.effect === 'ask' ? ruleReason(rule) :", ''],
  },
  {
    name: 'Plan keeps nothing',
    isAbout: changes,
    holds: (tool) => ['refuse', 'drop'].includes(judge(tool, {}, { mode: 'plan' })),
    mutation: ['planRefusal(question, drops)\n', 'undefined\n'],
  },
  {
    name: 'Ask asks about changes',
    isAbout: changes,
    holds: (tool) => asks(judge(tool, {}, { mode: 'ask', effects: [{ kind: 'modify', path: path('/a') }] })),
    mutation: ["if (mode === 'ask' && changesSomething", "if (mode === 'plan' && changesSomething"],
  },
  {
    name: 'a secret that it reads asks',
    isAbout: ({ access, effect }) => access.reads.length > 0 && effect !== 'agents',
    holds: (tool) => asks(judge(tool, {}, { holdsSecret: path('/a') })),
    mutation: ['const secret = holdsSecret === null ?', 'const secret = tool ?'],
  },
  {
    name: 'a secret that it replaces asks',
    isAbout: ({ access }) => access.writes.length > 0,
    holds: (tool) => asks(judge(tool, {}, { replacesSecret: path('/a') })),
    mutation: ['return replacesSecret === undefined', 'return replacesSecret !== null'],
  },
  {
    name: 'no trust, no word to all projects',
    isAbout: ({ access }) => access.writes.length > 0,
    holds: (tool) => judge(tool, { isTrusted: false }, {}, '/memories/user/x') === 'ask',
    mutation: ['!isTrusted && access', '!isTrusted && false && access'],
  },
  {
    name: 'no sandbox, every command asks',
    isAbout: ({ access }) => access.command !== null,
    holds: (tool) => judge(tool, { sandboxed: false, ...withRules({ allow: [tool.name] }) }) === 'ask',
    mutation: ['if (!leaves && (sandboxed || !isCommand) && (passing', 'if ((passing'],
  },
  {
    name: 'an unclear setting asks about changes',
    isAbout: changes,
    holds: (tool) => asks(judge(tool, { unclear: 'a setting names no tool' })),
    mutation: ['if (unclear !== undefined && changesSomething(question)) return unclear', ''],
  },
]

export const tools: readonly ToolFacts[] = Object.values(toolFacts)
