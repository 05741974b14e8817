import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { noRules } from '#core/approval/rules.ts'
import { planApply } from '#core/branches/apply-plan.ts'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import { keepChanges } from '#core/trial/keep.ts'
import { openTrial } from '#core/trial/open-trial.ts'
import { createMemoryBlobStore, createOverlayTransaction, emptyTree, type Tree } from '#overlay'
import { nodeHashing } from '#overlay/node'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskApply } from '../disk/disk-apply.ts'
import { createDiskBaseTree } from '../disk/disk-base-tree.ts'
import { createRipgrepSearch } from '../search/ripgrep-search.ts'
import { createBranchMounts } from './branch-mounts.ts'
import { findStrategies, openMountsWorld } from './mounts-world.testkit.ts'

const execute = promisify(execFile)
const strategies = await findStrategies()
const never = new AbortController().signal
const access = promptFileAccess({ interruptOn: new Map(), commands: 'before', rules: noRules } as never)

/** A folder that people share by its group, one in which only owners remove files, and files that not everybody reads. */
const start = `mkdir -p shared/in sticky closed out; chmod 2775 shared shared/in; chmod 1777 sticky; chmod 750 closed
  touch {shared,shared/in,sticky,closed,out}/stays
  for f in plain shared/a shared/in/b sticky/c closed/d out/e; do echo start > $f; done; printf 'out/\\n' > .gitignore
  chmod 600 shared/a; chmod 640 shared/in/b; chmod 400 sticky/c; chmod 755 closed/d; chmod 660 out/e; chmod 2775 out`
const paths = ['plain', 'shared/a', 'shared/in/b', 'sticky/c', 'closed/d', 'shared/new', 'new', 'out/e', 'out/new']
const mode = fc.constantFrom(
  '600',
  '640',
  '644',
  '660',
  '664',
  '666',
  '700',
  '711',
  '755',
  '775',
  '777',
  '400',
  '444',
  '0',
)
const path = fc.constantFrom(...paths)
const folder = fc.constantFrom('shared', 'shared/in', 'sticky', 'closed', 'made', 'made/in', 'made/in/it')
const folderMode = fc.constantFrom('700', '750', '755', '775', '711', '1777', '777')
/** With a file in each, because an apply makes no empty folders. */
const make = (folder: string) => {
  const all = folder.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))
  return `mkdir -p ${folder}; touch ${all.map((one) => `${one}/stays`).join(' ')}`
}
const act = fc.oneof(
  fc.record({ folder, folderMode }).map(({ folder, folderMode }) => `${make(folder)}; chmod ${folderMode} ${folder}`),
  fc
    .record({ folder, folderMode })
    .map(({ folder, folderMode }) => `rm -rf ${folder}; mkdir -m ${folderMode} ${folder}; ${make(folder)}`),
  folder.map((folder) => `${make(folder)}; echo in > ${folder}/more`),
  folder.map((folder) => `rm -rf ${folder}`),
  fc.record({ path, mode }).map(({ path, mode }) => `chmod ${mode} ${path}`),
  fc.record({ path, mode }).map(({ path, mode }) => `install -m ${mode} plain ${path}`),
  path.map((path) => `echo more >> ${path}`),
  path.map((path) => `rm -f ${path}; echo again > ${path}`),
  path.map((path) => `sed -i s/start/end/ ${path}`),
  fc.record({ from: path, to: path }).map(({ from, to }) => `mv -f ${from} ${to}`),
  fc.record({ from: path, to: path }).map(({ from, to }) => `cp -p ${from} ${to}`),
)
const look = `find . -path ./home -prune -o -printf '%p %y %m\\n' | sort; for f in ${paths.join(' ')}; do echo $f $(cat $f); done`

/** What a shell says, errors included. Each act may fail, as it does in the folder. */
async function shell(script: string, enter: (program: readonly string[]) => readonly string[], folder: string) {
  const [program = '', ...parameters] = enter(['bash', '-c', `cd "$0"; ${script}`, folder])
  return (await execute(program, parameters)).stdout
}
const here = (program: readonly string[]) => program

describe.each(strategies)('permissions ($kind)', (strategy) => {
  // Mutation: leave `mode` out in `permissionsOf` of `mount-base.ts`, in `modeOf` of `disk-apply.ts`, 0o777 for 0o7777 in
  // `branch-layer.ts`, or let `shownModes`, `goneModes` or `joinModes` find nothing.
  it(
    'are in a view, and after an apply, what they are in the folder itself',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
          async (commands) => {
            const above = mkdtempSync(join(tmpdir(), 'coppice-modes-'))
            const [root, bare] = [join(above, 'root'), join(above, 'bare')]
            mkdirSync(root)
            const mounts = createBranchMounts({
              rootFolder: root,
              mountsFolder: join(above, 'data'),
              probe: async () => strategy,
            })
            const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: join(above, 'data') })
            try {
              await shell(start, here, root)
              await execute('cp', ['-a', root, bare])
              const blobs = createMemoryBlobStore(nodeHashing)
              const services = {
                mounts,
                blobs,
                search,
                foldersBeside: [],
                hashing: nodeHashing,
                base: createDiskBaseTree(root, null),
              }
              let [tree, environment]: [Tree, readonly LayerId[]] = [emptyTree, []]
              for (const acts of [...commands, []]) {
                const script = `{ ${[...acts, 'true'].join('; ')}; } 2>&-; ${look}`
                const wanted = await shell(script, here, bare)
                const branch = createOverlayTransaction({ ...services, tree })
                await using trial = await openTrial(
                  services,
                  { owner: 'branch', branch, access, environment, lifetime: 'reused' },
                  never,
                )
                expect(await shell(script, trial.view.enter, trial.view.folder), script).toBe(wanted)
                const captured = await trial.capture(true)
                await keepChanges(branch, captured.changes, trial)
                tree = branch.tree
                environment = captured.environment
              }
              const steps = await planApply({ ...services, tree, paths: null })
              const apply = createDiskApply({
                rootFolder: root,
                recordFolder: join(above, 'record'),
                hashing: nodeHashing,
              })
              await apply.apply(steps, ({ after }) =>
                after?.kind === 'file' ? blobs.get(after.blob) : new Uint8Array(),
              )
              const project = (text: string) =>
                text.split('\n').flatMap((line) => (line.includes('out') ? [] : [line.replace(/ d \d+$/, ' d')]))
              expect(project(await shell(look, here, root))).toEqual(project(await shell(look, here, bare)))
            } finally {
              await mounts[Symbol.asyncDispose]()
              search[Symbol.dispose]()
              rmSync(above, { recursive: true, force: true })
            }
          },
        ),
        runs(4, 200),
      ),
    timeLimit(60_000),
  )

  // Mutation: let `hasOtherFolderMode` say false.
  it('are named where they are those of a folder, which no change has', async () => {
    await using world = openMountsWorld({ probe: async () => strategy })
    await world.onDisk(start)
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(
      mount,
      'chmod 700 closed; mkdir -m 711 made; mkdir usual shared/inherits; echo > usual/f; echo > made/f; echo > shared/f; mkdir -m 700 out/own',
    )
    const { changes, notKept } = await mount.capture()
    expect(notKept?.map(({ path, why }) => `${path} ${why}`).sort()).toEqual([
      '/closed folder_mode',
      '/made folder_mode',
    ])
    expect(changes.map(({ path }) => path)).toEqual(['/made/f', '/shared/f', '/shared/inherits', '/usual/f'])
  })

  // Mutation: leave `was` out of the comparison in `shownModes`, let `changedMode` compare with the usual
  // permissions alone, or `goneModes` find nothing.
  it('are those of a folder in later views, told once, until the user chooses others on disk', async () => {
    await using world = openMountsWorld({ probe: async () => strategy, mostInStack: 2 })
    await world.onDisk(`${start}; mkdir -p a/b; touch a/b/f`)
    let environment: readonly LayerId[] = []
    let overlay: readonly MountEntry[] = []
    const command = async (script: string) => {
      await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
      const output = await world.inMount(mount, `${script}; stat -c %a closed a a/b | xargs`)
      const { notKept = [], ...captured } = await mount.capture()
      environment = captured.environment
      const told = notKept.map(({ path, why }) => ` ${path} ${why}`).sort()
      return `${output.trim()}${told.join('')}`
    }
    expect(await command('chmod 711 closed a/b')).toBe('711 755 711 /a/b folder_mode /closed folder_mode')
    expect(await command('touch out/more')).toBe('711 755 711')
    expect(await command('chmod 750 closed; chmod 700 a/b')).toBe('750 755 700 /a/b folder_mode')
    for (const name of ['one', 'two', 'three']) await command(`touch out/${name}`)
    expect(await command('true')).toBe('750 755 700')
    await world.onDisk('chmod 775 a')
    expect(await command('chmod 770 a')).toBe('750 770 700 /a folder_mode')
    await world.onDisk('chmod 711 a')
    expect(await command('true')).toBe('750 711 700')
    expect(await command('rm -r a/b; mkdir a/c')).toBe('750 711')
    overlay = [{ path: '/a/b' as VirtualPath, kind: 'absent' }]
    expect(await command('true')).toBe('750 711')
    overlay = []
    expect(await command('true')).toBe('750 711 755')
  })
})
