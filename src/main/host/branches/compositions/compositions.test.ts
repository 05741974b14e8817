import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readBranch, readThread } from '#core/journal/read-thread.ts'
import { createOverlayTransaction, diffTrees, emptyTree, treeHash } from '#overlay'
import { text } from '#overlay/testkit'
import type { CompositionRow } from '#shared/contract/views/compositions.ts'
import { choiceOf, type FileChoice } from '#shared/model/compose/composition.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../../testing/test-host.testkit.ts'

const context = { context: {} }
const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${changed[index] ?? index}\n`).join('')
const path = (name: string) => `${rootPath}${name}` as VirtualPath

/** A workspace over a folder with branches that each write some files; null deletes one. */
async function openBranches(branches: Readonly<Record<string, Readonly<Record<string, string | null>>>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-compose-')))
  const [folder, data] = [join(root, 'project'), join(root, 'data')]
  for (const one of [folder, data]) mkdirSync(one)
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), lines())
  const host = await openTestHost(data)
  const project = await host.projects.open(folder)
  const { services, runtime } = project
  const { id: projectId } = project.info()
  const threadId = runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const workspace = readThread(services.log, threadId)?.branchId ?? ('' as BranchId)
  const headOf = (branchId: BranchId) => services.log.trees.heads.get(branchId) ?? emptyTree
  async function edit(branchId: BranchId, files: Readonly<Record<string, string | null>>): Promise<void> {
    const before = headOf(branchId)
    const draft = createOverlayTransaction({ ...services, tree: before })
    for (const [name, content] of Object.entries(files)) {
      if (content === null) await draft.delete(path(name))
      else await draft.write(path(name), new TextEncoder().encode(content))
    }
    const patch = diffTrees(before, draft.tree)
    appendTo(services.log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch }])
  }
  for (const [name, files] of Object.entries(branches)) {
    const branchId = name as BranchId
    const owner = { ownerThreadId: `thread of ${name}` as ThreadId, handle: name as Handle, name }
    appendTo(services.log, [{ type: 'branch.forked', threadId, branchId, parentId: workspace, ...owner }])
    await edit(branchId, files)
  }
  const names = Object.keys(branches) as readonly string[] as readonly BranchId[]
  const sources = names.map((branchId) => ({ branchId, sequence: null }))
  const input = { projectId, into: workspace, sources }
  const { compositions } = host.router
  const chosen = ({ path: at, fingerprint }: CompositionRow, choice: FileChoice) => ({ path: at, fingerprint, choice })
  return {
    ...{ host, project, workspace, threadId, input, edit, headOf, chosen },
    read: () => call(compositions.read, input, context),
    store: (files: readonly ReturnType<typeof chosen>[]) =>
      call(compositions.store, { ...input, files: [...files] }, context),
    fileOf: async (branchId: BranchId, name: string) => {
      const draft = createOverlayTransaction({ ...services, tree: headOf(branchId) })
      const found = await draft.stat(path(name))
      return found?.kind === 'file' ? text(await draft.read(path(name), { offset: 0, length: found.size })) : null
    },
  }
}

describe('a composition of branches', () => {
  it('is proposed by evidence, stored as one entry that names its sources, and undone as a whole', async () => {
    const world = await openBranches({
      one: { 'a.txt': lines({ 1: 'one', 20: 'same' }), 'c.txt': 'new\n' },
      two: { 'a.txt': lines({ 10: 'two', 20: 'same' }), 'b.txt': null },
    })
    await using host = world.host
    const { files, sources } = await world.read()
    expect(sources.map(({ name }) => name)).toEqual(['one', 'two', 'workspace'])
    expect(files.map(({ path: at, hunks, proposal }) => [at, hunks, choiceOf(proposal)])).toEqual([
      ['/a.txt', 3, { kind: 'hunks', picks: [{ from: [0] }, { from: [1] }, { from: [0, 1] }] }],
      ['/b.txt', 0, { kind: 'whole', from: 1 }],
      ['/c.txt', 1, { kind: 'hunks', picks: [{ from: [0] }] }],
    ])
    const before = world.headOf(world.workspace)
    const chosen = files.flatMap((row) => {
      const choice = choiceOf(row.proposal)
      return choice ? [world.chosen(row, choice)] : []
    })
    const { patch } = {
      patch: await call(host.router.compositions.exportPatch, { ...world.input, files: chosen }, context),
    }
    expect(patch.text.match(/^@@.*$/gm)?.map((line) => line.replace(/^@@.*@@/, ''))).toEqual([
      ...[' one', ' two', ' one, two', ' two', ' one'],
    ])
    const { sequence, result } = await world.store(chosen)
    expect(result).toMatchObject({ merged: ['/a.txt', '/c.txt'], deleted: ['/b.txt'] })
    expect(await world.fileOf(world.workspace, 'a.txt')).toBe(lines({ 1: 'one', 10: 'two', 20: 'same' }))
    expect(await world.fileOf(world.workspace, 'b.txt')).toBeNull()
    const { log } = world.project.services
    const entry = log.entryAt(sequence ?? 0)
    expect(entry?.type === 'branch.merged' && entry.composed?.files[0]?.pieces.map(({ from }) => from)).toEqual([
      ...[[0], [1], [0, 1]],
    ])
    const merged = ['one', 'two'].map((id) => readBranch(log, id as BranchId)?.merges.map(({ undone }) => undone))
    expect(merged).toEqual([[false], [false]])
    const review = (branchId: string) =>
      call(host.router.branches.review, { projectId: world.input.projectId, branchId: branchId as BranchId }, context)
    expect([(await review('one')).closed, (await review('two')).closed]).toEqual([true, true])
    expect((await world.read()).files).toEqual([])
    await call(host.router.branches.undo, { projectId: world.input.projectId, sequence: sequence ?? 0 }, context)
    expect(treeHash(world.headOf(world.workspace), world.project.services.hashing)).toBe(
      treeHash(before, world.project.services.hashing),
    )
    expect([(await review('one')).closed, (await review('two')).closed]).toEqual([false, false])
    expect((await world.read()).files).toHaveLength(3)
  })

  it('is refused when a branch moved on since it was shown, and of two at once one is stored', async () => {
    const world = await openBranches({ one: { 'a.txt': lines({ 1: 'one' }) }, two: { 'a.txt': lines({ 1: 'two' }) } })
    await using _host = world.host
    const [row] = (await world.read()).files
    if (!row) throw new Error('There is no file to compose.')
    expect(choiceOf(row.proposal)).toBeNull()
    const picks = [[0], [1]].map((from) => [world.chosen(row, { kind: 'hunks', picks: [{ from }] })])
    const settled = await Promise.allSettled(picks.map((files) => world.store(files)))
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await world.edit('one' as BranchId, { 'a.txt': lines({ 1: 'moved on' }) })
    await expect(world.store(picks[0] ?? [])).rejects.toThrow('changed on one of the branches since it was shown')
    expect(world.project.services.log.entries().filter(({ type }) => type === 'branch.merged')).toHaveLength(1)
  })

  it('shows what the workspace changed since as a version of its own, and takes past states of a branch', async () => {
    const world = await openBranches({ one: { 'a.txt': lines({ 1: 'one' }) } })
    await using host = world.host
    const past = world.project.services.log.state.sequence
    await world.edit('one' as BranchId, { 'a.txt': lines({ 1: 'later' }) })
    await world.edit(world.workspace, { 'a.txt': lines({ 1: 'ours' }) })
    const sources = [{ branchId: 'one' as BranchId, sequence: past }, ...world.input.sources]
    const view = await call(host.router.compositions.read, { ...world.input, sources }, context)
    expect(view.files[0]?.versions.map(({ source }) => source)).toEqual([0, 1, 2])
    const file = await call(host.router.compositions.file, { ...world.input, sources, path: path('a.txt') }, context)
    const [hunk] = file.segments.filter((segment) => segment.kind === 'hunk')
    expect(hunk?.changes.map(({ text: changed }) => changed)).toEqual(['one\n', 'later\n', 'ours\n'])
  })

  it('takes files as a whole where versions are no text, and says why', async () => {
    const world = await openBranches({
      one: { 'a.txt': null, 'b.txt': 'a\0b' },
      two: { 'a.txt': lines({ 1: 'two' }), 'b.txt': lines({ 3: 'two' }) },
    })
    await using _host = world.host
    const { files } = await world.read()
    expect(files.map(({ versions }) => versions.map(({ whole }) => whole))).toEqual([
      ['deleted', null],
      ['binary', null],
    ])
    const [gone, data] = files
    if (!gone || !data) throw new Error('There are two files.')
    await expect(world.store([world.chosen(gone, { kind: 'hunks', picks: [{ from: [0] }] })])).rejects.toThrow(
      'no such',
    )
    await world.store([
      world.chosen(gone, { kind: 'hunks', picks: [{ from: [1] }] }),
      world.chosen(data, { kind: 'whole', from: 0 }),
    ])
    expect(await world.fileOf(world.workspace, 'a.txt')).toBe(lines({ 1: 'two' }))
    expect(await world.fileOf(world.workspace, 'b.txt')).toBe('a\0b')
  })

  it('is checked before anything is stored, and proposes the branch whose checks alone are green', async () => {
    const world = await openBranches({ one: { 'a.txt': lines({ 1: 'red' }) }, two: { 'a.txt': lines({ 1: 'fine' }) } })
    await using host = world.host
    const { projectId } = world.input
    const run = `! grep -q red a.txt`
    await call(host.router.checks.accept, { projectId, checks: [{ name: 'grep', run, required: false }] }, context)
    const branches = ['one', 'two'] as readonly string[] as readonly BranchId[]
    for (const branchId of branches)
      await world.project.checks.runs.run(
        { branchId, tree: null, environmentOf: branchId, on: 'branch', names: null, again: false, by: 'person' },
        new AbortController().signal,
      )
    const [row] = (await world.read()).files
    if (!row) throw new Error('There is no file to compose.')
    expect(row.proposal).toEqual({
      kind: 'hunks',
      proposals: [{ choice: { from: [1] }, evidence: 'checks' }],
    })
    const composed = { ...world.input, files: [world.chosen(row, { kind: 'hunks', picks: [{ from: [0] }] })] }
    const state = async () => (await call(host.router.compositions.checks, composed, context)).state
    await call(host.router.compositions.runChecks, composed, context)
    await expect.poll(state).toBe('red')
    expect(world.headOf(world.workspace)).toBe(emptyTree)
  })
})
