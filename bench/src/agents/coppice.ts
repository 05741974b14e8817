import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appRoot, node } from '../../../e2e/support/coppice.ts'
import { type Agent, environmentOf, type Place } from './agent.ts'

/** The built app of this checkout, as `coppice run` starts it, with further options. */
export function coppiceAgent(more: readonly string[] = []): Agent {
  const { version } = JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8')) as { readonly version: string }
  return {
    name: `Coppice ${version}`,
    start: (place, task) => run(place, ['--task', task, ...more]),
    resume: (place, task) => run(place, ['--thread', 'last', '--task', task]),
    isTurn: ({ tools }) => (tools?.length ?? 0) > 0,
    calls: () => ({
      read: (path) => ({ name: 'read_file', input: { file_path: `/${path}` } }),
      edit: (path, before, after) => ({
        name: 'edit_file',
        input: { file_path: `/${path}`, old_string: before, new_string: after },
      }),
      command: (command) => ({ name: 'execute', input: { command } }),
    }),
  }
}

/** Nobody is asked, and no budget ends a long session. */
const endless = ['--approve', 'all', '--max-iterations', '2000']

function run(place: Place, args: readonly string[]): ChildProcess {
  const own = ['run', place.project, ...args, ...endless, '--data-dir', join(place.home, 'data')]
  return spawn(node, [join(appRoot, 'bin/coppice.mjs'), ...own], {
    cwd: place.project,
    env: environmentOf(place),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
