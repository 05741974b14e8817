import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../../system/as-owner.ts'
import { asHelper } from '../../system/ends-with-app.ts'
import { gitEnvironment, mayAskGit } from '../../system/git/ask-git.ts'
import { systemProgram } from '../../system/system-programs.ts'
import type { ShownLayer } from '../layers/shown-in-layers.ts'

const timeoutMs = 5_000
/** In bytes. Git packs what agents committed, also large files. */
const mostMemory = 2 * 1024 * 1024 * 1024

/** A repository of the person, and what layers have of it. */
export interface LayeredRepository {
  /** Its folder, usually `/.git`. */
  readonly unit: VirtualPath
  /** Null for no folder on disk, where git is not asked. */
  readonly rootFolder: string | null
  /** The oldest first. */
  readonly layers: readonly Pick<ShownLayer, 'files'>[]
  /** Layers below these. Absent for none. */
  readonly lower?: readonly Pick<ShownLayer, 'files'>[]
}

/** True when git says yes. */
export async function askGit(
  input: LayeredRepository,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  return (await runGit(input, args, { env })).status === 0
}

interface GitCall {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  readonly timeoutMs?: number
  /** Descriptor of a file for the standard output. Absent for none. */
  readonly output?: number
}

/** Git finds the objects of the person and those of the layers. The status is null when it is missing, too slow or not asked. */
export function runGit(
  { unit, rootFolder, layers, lower = [] }: LayeredRepository,
  args: readonly string[],
  { env: more = {}, input, timeoutMs: timeout = timeoutMs, output }: GitCall,
): Promise<{ readonly status: number | null }> {
  if (rootFolder === null || !mayAskGit(join(rootFolder, dirname(unit)))) return Promise.resolve({ status: null })
  const repository = join(rootFolder, unit)
  const objects = [...lower, ...layers]
    .map(({ files }) => join(files, unit, 'objects'))
    .filter((place) => lookAsOwner(place))
  const env = {
    ...gitEnvironment(rootFolder),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map((place) => JSON.stringify(place)).join(':'),
    ...more,
  }
  return new Promise((resolve) => {
    const asked = ['-c', 'core.fsmonitor=false', '--git-dir', repository, ...args]
    const [program = '', ...words] = asHelper([systemProgram('git'), ...asked], { mostBytes: mostMemory })
    const child = spawn(program, words, {
      ...{ cwd: rootFolder, env, timeout, killSignal: 'SIGKILL' },
      stdio: ['pipe', output ?? 'ignore', 'ignore'],
    })
    child.on('error', () => resolve({ status: null }))
    child.on('close', (status) => resolve({ status }))
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
