import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { node } from '../../../e2e/support/coppice.ts'
import { type Agent, environmentOf, type Place } from './agent.ts'
import { claudeAgent } from './claude.ts'
import { coppiceAgent } from './coppice.ts'
import { agentPackages, peerVersion } from './packages.ts'

/** The name that the definition of the external agent has. */
export const externalName = 'claude'

/** Claude Code in three ways: as its own program, as an editor starts it, and as an external agent of Coppice. */
interface ExternalAgents {
  readonly printing: Agent
  readonly bare: Agent
  /** Its first agent is the external one. */
  readonly coppice: Agent
  /** Its first agent is one of Coppice, which may start external ones. */
  readonly delegating: Agent
}

const adapter = join(agentPackages, '.bin/claude-agent-acp')
const variables = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // Its guess at what a person says next is no part of the job.
  CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
  DISABLE_AUTOUPDATER: '1',
}

/** Null where the packages of `bench/agents` are not installed. */
export function externalAgents(): ExternalAgents | null {
  const version = peerVersion('@agentclientprotocol/claude-agent-acp', agentPackages)
  const printing = claudeAgent({ sandbox: false, ofAdapter: true })
  if (version === null || printing === null) return null
  const own = coppiceAgent()
  const { isTurn, calls } = printing
  const bareStart = (place: Place, task: string): ChildProcess =>
    spawn(node, [join(import.meta.dirname, '../peers/acp-client.mjs'), task, adapter], {
      cwd: place.project,
      env: { ...environmentOf(place), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const defined =
    (agent: Agent): Agent['start'] =>
    (place, task) => {
      define(place)
      return agent.start(place, task)
    }
  const alone = coppiceAgent(['--agent', externalName])
  const common = { isTurn, calls, resume: own.resume }
  return {
    printing,
    bare: { ...common, name: `claude-agent-acp ${version}`, start: bareStart },
    coppice: { ...common, name: own.name, start: defined(alone) },
    delegating: { ...common, name: own.name, start: defined(own) },
  }
}

/** What it keeps in its home is shared between its sessions, as a person's login is. */
function define({ home, url }: Place): void {
  for (const folder of ['data', '.claude']) mkdirSync(join(home, folder), { recursive: true })
  // Where Coppice runs as root, what it starts is another user.
  for (const folder of [home, join(home, '.claude')]) chmodSync(folder, 0o777)
  const definition = {
    name: externalName,
    description: 'Claude Code',
    acp: adapter,
    home: ['~/.claude'],
    local_ports: [Number(new URL(url).port)],
    env: { ANTHROPIC_API_KEY: 'sk-bench', ANTHROPIC_BASE_URL: url, ...variables },
  }
  writeFileSync(join(home, 'data', 'settings.json'), JSON.stringify({ subagents: [definition] }))
}
