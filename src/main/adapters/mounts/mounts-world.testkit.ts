import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MountsWorld } from '#core/ports/branch-mounts.contract.ts'
import type { MountStrategy } from '#core/ports/branch-mounts.ts'
import { type BranchMountsOptions, createBranchMounts } from './branch-mounts.ts'

const run = promisify(execFile)
const listing = `find . \\( -type f -exec sha256sum {} \\; -exec stat -c '%n %a %Y %Z' {} \\; \\) -o -printf '%p %l %m %T@\\n' | sort`

export interface DiskMountsWorld extends MountsWorld {
  readonly root: string
  readonly mountsFolder: string
  /** Returns the standard output. */
  readonly run: (program: string, parameters: readonly string[]) => Promise<string>
}

/** A project in a folder called `name` inside a new temporary folder, which is removed with the world. */
export function openMountsWorld(options: Partial<BranchMountsOptions> = {}, name = 'root'): DiskMountsWorld {
  const above = mkdtempSync(join(tmpdir(), 'coppice-views-'))
  const root = join(above, name)
  const mountsFolder = join(above, 'data', 'views')
  mkdirSync(root)
  const mounts = createBranchMounts({ rootFolder: root, mountsFolder, ...options })
  const onDisk = async (script: string) => (await run('bash', ['-c', script], { cwd: root })).stdout
  return {
    root,
    mountsFolder,
    mounts: mounts,
    onDisk,
    run: async (program, parameters) => (await run(program, [...parameters])).stdout,
    inMount: async (mount, script) => {
      const [program = '', ...parameters] = mount.enter(['bash', '-c', `cd "$0" && ${script}`, mount.folder])
      return (await run(program, parameters)).stdout
    },
    fingerprint: () => onDisk(listing),
    async [Symbol.asyncDispose]() {
      await mounts[Symbol.asyncDispose]()
      await run('chmod', ['-R', 'u+rwX', above])
      rmSync(above, { recursive: true })
    },
  }
}

/** Whatever the system can do. */
export const copying: MountStrategy = { kind: 'copy', reason: 'asked for' }

/** All ways in which this system can make mounts, the cheapest first. */
export async function findStrategies(): Promise<readonly MountStrategy[]> {
  await using world = openMountsWorld()
  const cheapest = await world.mounts.findStrategy()
  return cheapest.kind === 'overlay' ? [cheapest, copying] : [copying]
}
