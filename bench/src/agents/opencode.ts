import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, environmentOf, type Place } from './agent.ts'
import { peerBinary, peerVersion } from './packages.ts'

const model = 'claude-sonnet-4-5'

/** Its program for this system. The package `opencode-ai` only chooses one of these when it is installed. */
const program = 'opencode-linux-x64'

/** OpenCode, which has no sandbox. Null where its package is not installed or cannot run. */
export function opencodeAgent(): Agent | null {
  const [version, binary] = [peerVersion(program), peerBinary(join(program, 'bin/opencode'))]
  if (version === null || binary === null) return null
  const run = (place: Place, args: readonly string[]): ChildProcess => {
    writeConfiguration(place)
    return spawn(binary, ['run', '--model', `anthropic/${model}`, ...args], {
      cwd: place.project,
      env: {
        ...environmentOf(place),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
  return {
    name: `OpenCode ${version}`,
    start: (place, task) => run(place, [task]),
    resume: (place, task) => run(place, ['--continue', task]),
    isTurn: ({ tools }) => (tools?.length ?? 0) > 0,
    calls: (project) => ({
      read: (path) => ({ name: 'read', input: { filePath: join(project, path) } }),
      edit: (path, before, after) => ({
        name: 'edit',
        input: { filePath: join(project, path), oldString: before, newString: after },
      }),
      command: (command) => ({ name: 'bash', input: { command, description: 'A measured command' } }),
    }),
  }
}

function writeConfiguration({ home, url }: Place): void {
  const folder = join(home, '.config/opencode')
  mkdirSync(folder, { recursive: true })
  const anthropic = { options: { baseURL: `${url}/v1`, apiKey: 'sk-bench' }, models: { [model]: {} } }
  const configuration = { autoupdate: false, share: 'disabled', permission: 'allow', provider: { anthropic } }
  writeFileSync(join(folder, 'opencode.json'), JSON.stringify(configuration))
}
