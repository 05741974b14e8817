import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ViewsWorld } from '#core/ports/branch-views.contract.ts'
import { type BranchViewsOptions, createBranchViews } from './branch-views.ts'
import { removeTree } from './view-folder.ts'

const run = promisify(execFile)
const listing = `find . \\( -type f -exec sha256sum {} \\; -exec stat -c '%n %a %Y %Z' {} \\; \\) -o -printf '%p %l %m %T@\\n' | sort`

export interface DiskViewsWorld extends ViewsWorld {
  readonly root: string
  readonly viewsFolder: string
}

/** A project in a folder of that name, below one of its own in the system's temporary folder, gone with the world. */
export function openViewsWorld(options: Partial<BranchViewsOptions> = {}, name = 'root'): DiskViewsWorld {
  const above = mkdtempSync(join(tmpdir(), 'coppice-views-'))
  const root = join(above, name)
  const viewsFolder = join(above, 'data', 'views')
  mkdirSync(root)
  const views = createBranchViews({ rootFolder: root, viewsFolder, ...options })
  const onDisk = async (script: string) => (await run('bash', ['-c', script], { cwd: root })).stdout
  return {
    root,
    viewsFolder,
    views,
    onDisk,
    inView: async (view, script) => {
      const [program = '', ...parameters] = view.enter(['bash', '-c', `cd "$0" && ${script}`, view.folder])
      return (await run(program, parameters)).stdout
    },
    fingerprint: () => onDisk(listing),
    async [Symbol.asyncDispose]() {
      await views[Symbol.asyncDispose]()
      await removeTree(above)
    },
  }
}
