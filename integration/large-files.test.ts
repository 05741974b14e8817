import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readBranch } from '#core/journal/read-thread.ts'
import { emptyTree } from '#overlay'
import { resultOf } from '#shared/model/calls/call.ts'
import { type Call, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { isQuick } from '../src/main/core/ports/test-size.testkit.ts'
import { compareBranches } from '../src/main/host/branches/compare-branches.ts'
import { applyToDisk, undoApply } from '../src/main/host/changes/apply.ts'
import { exportPatch } from '../src/main/host/changes/export-patch.ts'
import { openWorld, temporaryFolder } from './world.testkit.ts'

const size = 257 * 1024 * 1024
const calls: readonly Call[] = [
  { name: 'delete', input: { path: '/gone.bin' } },
  { name: 'move', input: { from: '/data', to: '/kept' } },
  { name: 'execute', input: { command: 'git add -N . && git mv kept/b.bin kept/c.bin && ls -l kept' } },
  { name: 'edit_file', input: { file_path: '/kept/c.bin', old_string: 'a', new_string: 'b' } },
  { name: 'write_file', input: { file_path: '/small.bin', content: 'small\n' } },
]
const scenario: Scenario = (request) => {
  const call = calls[turnOf(request)]
  return call ? { calls: [{ ...call, id: `c${turnOf(request)}` }] } : { text: 'done' }
}
const names = ['gone.bin', 'data/b.bin', 'small.bin']

/** Takes no space on disk: there is only one byte in it. */
function makeLarge(location: string, mark: number): void {
  writeFileSync(location, '')
  truncateSync(location, size)
  const descriptor = openSync(location, 'r+')
  writeSync(descriptor, Uint8Array.of(mark), 0, 1, size / 2)
  closeSync(descriptor)
}

// On every change, `large-mounts.test.ts` and `large-apply.test.ts` hold its parts.
it.skipIf(isQuick())(
  'an agent deletes and moves files over 256 MB, git takes the patch, and an apply is undone',
  async () => {
    const world = await openWorld(scenario, { settings: { interrupt_on: { execute: false } }, approving: true })
    const { folder, project } = world
    mkdirSync(join(folder, 'data'))
    for (const [mark, name] of names.entries()) makeLarge(join(folder, name), mark + 1)
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' }).toString()
    git('init', '-q')
    git('add', '-N', '.')
    const inodes = () => Object.fromEntries(filesIn(folder).map((name) => [name, statSync(join(folder, name)).ino]))
    const before = inodes()
    const id = await world.run('main', 'auto')
    const results = [...world.thread(id).calls.values()].map((call) =>
      (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
    )
    expect(results[0]).toBe('Deleted /gone.bin.')
    expect(results[1]).toBe('Moved /data to /kept.')
    expect(results[2]).toMatch(new RegExp(`${size}.*c\\.bin`))
    expect(results[3]).toContain('too many to edit at once')
    expect(results[4]).toContain('Replaced /small.bin')
    const { branchId } = world.thread(id)
    const { log } = project.services
    const tree = log.trees.heads.get(branchId) ?? emptyTree
    const sequence = log.entries().at(-1)?.sequence ?? 0
    const [from, to] = [
      { branchId, sequence: readBranch(log, branchId)?.forkedAt ?? 0 },
      { branchId, sequence },
    ]
    const changes = await compareBranches(project, { from, to } as Parameters<typeof compareBranches>[1])
    expect(changes.map(({ path, kind, from: old, large }) => [path, kind, old, large])).toEqual([
      ['/gone.bin', 'delete', undefined, size],
      ['/kept/c.bin', 'rename', '/data/b.bin', size],
      ['/small.bin', 'modify', undefined, size],
    ])

    const { bytes, leftOut, verifiedBy } = await exportPatch(project, tree, null)
    expect([leftOut, verifiedBy, bytes.length < 3_000]).toEqual([[], ['reader', 'git'], true])
    const copy = temporaryFolder()
    mkdirSync(join(copy, 'data'))
    for (const [mark, name] of names.entries()) makeLarge(join(copy, name), mark + 1)
    writeFileSync(join(copy, '../large.patch'), bytes)
    execFileSync('git', ['init', '-q'], { cwd: copy })
    execFileSync('git', ['apply', '../large.patch'], { cwd: copy })
    const after = ['kept/c.bin', 'small.bin']
    expect(filesIn(copy)).toEqual(after)

    const applied = await applyToDisk(project, branchId, null)
    expect(filesIn(folder)).toEqual(after)
    expect(inodes()).toMatchObject({ 'kept/c.bin': before['data/b.bin'] })
    await undoApply(project, branchId, applied.sequence)
    expect(inodes()).toEqual(before)

    copyFileSync(join(folder, 'small.bin'), join(folder, 'gone.bin'))
    const changed = applyToDisk(project, branchId, null)
    await expect(changed).rejects.toThrow('/gone.bin: Its content changed on disk. Nothing was written.')
    expect(filesIn(folder)).toEqual(Object.keys(before))
  },
  120_000,
)

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return files.filter((name) => !name.startsWith('.git/')).sort()
}
