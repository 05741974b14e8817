import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, environmentOf, type Place } from './agent.ts'
import { agentPackages, peerBinary, peerVersion } from './packages.ts'

const packageName = '@anthropic-ai/claude-code'
const model = 'claude-sonnet-4-5'

interface ClaudeOptions {
  /** Its own sandbox for commands. */
  readonly sandbox: boolean
  /** The program that its adapter to the Agent Client Protocol brings, in place of the one of its own package. */
  readonly ofAdapter?: boolean
}

/** Claude Code. Null where its package is not installed or cannot run. */
export function claudeAgent({ sandbox, ofAdapter = false }: ClaudeOptions): Agent | null {
  const version = ofAdapter
    ? peerVersion('@anthropic-ai/claude-agent-sdk', agentPackages, 'claudeCodeVersion')
    : peerVersion(packageName)
  const binary = ofAdapter
    ? peerBinary(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`, agentPackages)
    : peerBinary('.bin/claude')
  if (version === null || binary === null) return null
  const run = (place: Place, args: readonly string[]): ChildProcess => {
    writeSettings(place, sandbox)
    return spawn(binary, ['--print', '--permission-mode', 'bypassPermissions', '--model', model, ...args], {
      cwd: place.project,
      env: {
        ...environmentOf(place),
        // It refuses to approve everything for root, unless it is told that it is in a container.
        IS_SANDBOX: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
  return {
    name: `Claude Code ${version}${sandbox ? ', sandbox' : ''}`,
    start: (place, task) => run(place, [task]),
    resume: (place, task) => run(place, ['--continue', task]),
    isTurn: ({ tools }) => (tools?.length ?? 0) > 0,
    calls: (project) => ({
      read: (path) => ({ name: 'Read', input: { file_path: join(project, path) } }),
      edit: (path, before, after) => ({
        name: 'Edit',
        input: { file_path: join(project, path), old_string: before, new_string: after },
      }),
      command: (command) => ({ name: 'Bash', input: { command, description: 'A measured command' } }),
    }),
  }
}

function writeSettings({ home }: Place, enabled: boolean): void {
  const folder = join(home, '.claude')
  mkdirSync(folder, { recursive: true })
  const sandbox = { enabled, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ sandbox }))
}
