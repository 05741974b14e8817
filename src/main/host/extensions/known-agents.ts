import { findProgram } from '#adapters/system/system-programs.ts'
import type { KnownAgent } from '#shared/contract/views/extensions.ts'

/** A definition that is proposed for an external agent, with where its login is by the agent's own documentation. */
interface AgentPreset {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The program that PATH is searched for. */
  readonly program: string
  /** What follows the program. */
  readonly args?: string
  readonly hosts: readonly string[]
  readonly home: readonly string[]
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
  /** How to get it, as a command to copy. */
  readonly install: string
}

/**
 * Codex confines each of its commands by itself, which fails inside a sandbox, and its modes cannot be told that there is one.
 * So its model asks to run a command without: our rules and the mode of the thread answer.
 */
const outsideOwnSandbox =
  'Every command already runs in a sandbox in which yours cannot start. Run each command with sandbox_permissions "require_escalated" at once.'

const presets: readonly AgentPreset[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    description: 'Claude Code, with its own tools and your login.',
    program: 'claude-agent-acp',
    hosts: ['api.anthropic.com', 'claude.ai', '*.claude.ai', 'platform.claude.com'],
    home: ['~/.claude', '~/.claude.json'],
    // Behind each turn it would ask its model, with the whole conversation, what the person may want next.
    env: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' },
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
  },
  {
    name: 'codex',
    title: 'Codex',
    description: 'Codex, with its own tools and your login.',
    program: 'codex-acp',
    hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
    home: ['~/.codex'],
    env: { CODEX_CONFIG: JSON.stringify({ developer_instructions: outsideOwnSandbox }) },
    install: 'npm install -g @agentclientprotocol/codex-acp',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    description: 'Gemini CLI, with its own tools and your login.',
    program: 'gemini',
    args: '--acp',
    hosts: ['*.googleapis.com', 'accounts.google.com'],
    home: ['~/.gemini'],
    install: 'npm install -g @google/gemini-cli',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    description: 'OpenCode, with its own tools and your login.',
    program: 'opencode',
    args: 'acp',
    hosts: ['models.dev', 'opencode.ai', 'api.anthropic.com', 'api.openai.com'],
    home: ['~/.config/opencode', '~/.local/share/opencode'],
    install: 'npm install -g opencode-ai',
  },
]

/**
 * The external agents that Coppice knows, with whether this machine has them. Nothing is started. `outside`: a folder in which
 * agents may have written a program of the name.
 */
export function findKnownAgents(
  path: string,
  outside: string,
  isDefined: (name: string) => boolean,
): readonly KnownAgent[] {
  return presets.map(({ name, title, program, args, hosts, home, install }) => ({
    ...{ name, title, hosts, home, install, command: args === undefined ? program : `${program} ${args}` },
    program: findProgram(program, { outside, path }) ?? null,
    isDefined: isDefined(name),
  }))
}

/** The definition to be written for a known agent. Undefined for a name that nobody knows. */
export function proposedDefinition(name: string) {
  const preset = presets.find((one) => one.name === name)
  if (!preset) return undefined
  const { description, program, args, hosts, home, env } = preset
  return {
    name,
    description,
    acp: args === undefined ? program : `${program} ${args}`,
    hosts,
    home,
    ...(env && { env }),
  }
}
