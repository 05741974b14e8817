import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostOptions } from '../app/host-options.ts'
import { worldOf } from '../changes/apply-world.testkit.ts'
import { exportPatch } from '../changes/export-patch.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import { prepareDeliveries } from './prepare-delivery.ts'

/** Everything of a repository and its folder but objects and the branches that are delivered to (`to…`). */
const untouched = `git for-each-ref | grep -v refs/heads/to || true
find . -not -path './.git/objects*' -not -path '*/heads' -not -path '*/heads/to*' -printf '%p %m %T@ %l\\n' | sort
find . -type f -not -path '*/objects/*' -not -path '*/heads/to*' -print0 | sort -z | xargs -0 sha256sum`

interface DeliveryWorldOptions {
  readonly model?: string
  readonly environment?: NodeJS.ProcessEnv
  /** Absent for none. */
  readonly openSandbox?: HostOptions['openSandbox']
}

/**
 * A repository with a thread on it. Its home folder names who commits. Dispose of it, which puts the home folder back. The
 * environment says where models are.
 */
export async function openDeliveryWorld(
  script: string,
  at = '.',
  { model = 'demo', environment = {}, openSandbox }: DeliveryWorldOptions = {},
) {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-deliver-')))
  const folder = join(above, 'folder')
  const home = process.env.HOME
  process.env.HOME = join(above, 'home')
  const sh = (line: string, cwd = folder) =>
    execFileSync('bash', ['-ec', line], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  sh(
    'mkdir home; git config --global user.name n; git config --global user.email e@e; git config --global protocol.file.allow always; git init -q --template= -b main folder',
    above,
  )
  sh(script)
  const host = await openTestHost(join(above, 'data'), undefined, environment, openSandbox)
  const project = await host.projects.open(join(folder, at))
  project.runtime.createThread({ title: 'the work', model, approvalMode: 'auto-edit' })
  const world = worldOf(host, project, join(folder, at))
  const usual = { base: null, per: 'all', uncommitted: 'leave', keep: [], messages: [], sign: null } as const
  return {
    ...world,
    ...{ above, folder, sh },
    deliver: (to: string, options: Partial<DeliverOptions> = {}) =>
      deliver(project, { ...usual, branchId: world.branchId, to, ...options }),
    async plan(to: string, options: Partial<DeliverOptions> = {}) {
      using opened = new DisposableStack()
      const request = { ...usual, branchId: world.branchId, to, ...options }
      return (await prepareDeliveries(project, request, opened)).map(({ plan }) => plan)
    },
    treeOf: (revision: string, cwd = folder) => sh(`git rev-parse '${revision}^{tree}'`, cwd).trim(),
    /** The tree that a clone has after `git apply --index` of the exported patch. */
    async treeByPatch(name: string, options = '') {
      const { bytes } = await exportPatch(project, world.head(), null)
      const clone = `rm -rf ${name}; git -c core.autocrlf=false clone -q ${options} folder ${name}; cd ${name}`
      execFileSync(
        'bash',
        [
          '-ec',
          `cat > ${name}.patch; ${clone}; [ -s ../${name}.patch ] && GIT_LFS_SKIP_SMUDGE=1 git apply --index ../${name}.patch`,
        ],
        {
          ...{ cwd: above, input: bytes, stdio: ['pipe', 'pipe', 'pipe'] },
        },
      )
      return sh('git write-tree', join(above, name)).trim()
    },
    everythingElse: () => sh(untouched),
    async [Symbol.asyncDispose]() {
      process.env.HOME = home
      await host[Symbol.asyncDispose]()
    },
  }
}
