import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findCheckProblem, requireChecks } from '../headless/require-checks.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const context = { context: {} }
const never = new AbortController().signal

function folders(files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-checks-')))
  const [folder, data] = [join(root, 'project'), join(root, 'data')]
  for (const one of [folder, join(folder, '.coppice'), data]) mkdirSync(one)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return { folder, data, settings: join(data, 'settings.json') }
}

const node = (script: string) => `"${process.execPath}" -e ${JSON.stringify(script)}`
/** Every call must name a function that `lib.js` has. */
const testScript = `const fs=require('fs');const lib=require('./lib.js');for(const f of fs.readdirSync('.').filter(f=>f.startsWith('use')))for(const n of fs.readFileSync(f,'utf8').trim().split(' '))if(!lib[n]){console.log(f+' calls '+n);process.exit(1)}`

describe('the checks of a project on a disk', () => {
  it('are accepted, run on branches with real commands, and keep a semantic conflict out of the parent', async () => {
    const { folder, data, settings } = folders({
      'package.json': '{"scripts": {"test": "node test.js"}}',
    })
    await using host = await openTestHost(data)
    const project = await host.projects.open(folder)
    const { checks } = host.router
    const { id: projectId } = project.info()
    expect(await call(checks.list, { projectId }, context)).toMatchObject({
      checks: [],
      problems: [],
      proposals: [{ name: 'test', run: 'npm test', source: '/package.json' }],
    })
    const accepted = [{ name: 'test', run: node(testScript), required: true }]
    await call(checks.accept, { projectId, checks: accepted }, context)
    expect(JSON.parse(readFileSync(settings, 'utf8')).checks_by_folder).toMatchObject({ [folder]: [{ name: 'test' }] })
    expect(await call(checks.list, { projectId }, context)).toMatchObject({ checks: [{ name: 'test' }], proposals: [] })

    const { log, blobs } = project.services
    const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
    const workspace = readThread(log, threadId)?.branchId ?? ('' as BranchId)
    const [renames, adds] = ['renames', 'adds'] as readonly string[] as readonly [BranchId, BranchId]
    const entryOf = (text: string | null) => {
      if (text === null) return null
      const bytes = new TextEncoder().encode(text)
      const file = { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable: false } as const
      return { node: file, pin: null }
    }
    const write = (branchId: BranchId, path: string, before: string | null, after: string) => {
      const patch = [[path as VirtualPath, [entryOf(before), entryOf(after)]]] as const
      return { type: 'tree.changed', threadId, branchId, callId: null, patch } as const
    }
    const fork = (branchId: BranchId) => {
      const names = { handle: branchId as string as Handle, name: branchId as string }
      const ownerThreadId = `thread of ${branchId}` as ThreadId
      return { type: 'branch.forked', threadId, branchId, parentId: workspace, ownerThreadId, ...names } as const
    }
    const library = 'exports.old = () => 1\n'
    appendTo(log, [write(workspace, '/lib.js', null, library), fork(renames), fork(adds)])
    appendTo(log, [
      write(renames, '/lib.js', library, 'exports.fresh = () => 1\n'),
      write(adds, '/use.txt', null, 'old\n'),
    ])

    await call(checks.run, { projectId, branchId: adds }, context)
    const stateOf = async (id: BranchId) =>
      (await call(checks.ofBranches, { projectId, branchIds: [id] }, context))[0]?.state
    await expect.poll(() => stateOf(adds)).toBe('green')
    await call(checks.mergeGreen, { projectId, branchIds: [renames, adds] }, context)
    const queue = () => call(checks.queue, { projectId }, context)
    await expect.poll(async () => (await queue())?.isRunning).toBe(false)
    expect((await queue())?.branches.map(({ state }) => state)).toMatchObject([
      { kind: 'merged' },
      { kind: 'red', greenAlone: true, failed: [{ output: expect.stringContaining('use.txt calls old') }] },
    ])
    expect(log.entries(['branch.merged'])).toHaveLength(1)

    const [result] = log.entries(['check.finished'])
    const shown = await call(checks.result, { projectId, sequence: result?.sequence ?? 0 }, context)
    expect(shown).toMatchObject({ check: 'test', outcome: 'green', exitCode: 0 })
    expect(findCheckProblem(project)).toBeNull()
    expect(await requireChecks(project, threadId, never)).toEqual({
      checks: [{ name: 'test', status: 'green', exit_code: 0 }],
      problem: null,
      output: [],
    })
    await expect(call(checks.run, { projectId, branchId: adds, names: ['tset'] }, context)).rejects.toThrow('"test"')
  })

  it('that are wrong are named with file and line, and the others work', async () => {
    const { folder, data, settings } = folders({ 'a.txt': 'a' })
    writeFileSync(
      settings,
      '{\n  "checks": [\n    {"name": "good", "run": "true"},\n    {"name": "bad", "rum": "true"},\n    {"name": "other", "run": "true", "on": ["apply"]}\n  ]\n}\n',
    )
    writeFileSync(
      join(folder, '.coppice/settings.json'),
      '{"checks": [{"name": "good", "run": "false"}, {"name": "own", "run": "true"}, {"run": "x"}]}',
    )
    await using host = await openTestHost(data)
    const project = await host.projects.open(folder)
    const { id: projectId } = project.info()
    const list = () => call(host.router.checks.list, { projectId }, context)
    expect(await list()).toMatchObject({
      checks: [
        { name: 'good', run: 'true' },
        { name: 'other', on: ['apply'], timeoutSeconds: 600 },
      ],
      problems: [expect.stringMatching(/settings\.json:4: checks: 1\.\w+: /)],
    })
    project.setTrusted(true)
    await list()
    const { checks, problems } = await list()
    expect(checks.map(({ name, run }) => `${name} ${run}`)).toEqual(['good true', 'own true', 'other true'])
    expect(problems.at(-1)).toContain('.coppice/settings.json:1: checks: 2.name')
  })

  it('can be declined for good', async () => {
    const { folder, data } = folders({ Makefile: 'test:\n\ttrue\n' })
    await using host = await openTestHost(data)
    const { id: projectId } = (await host.projects.open(folder)).info()
    const list = () => call(host.router.checks.list, { projectId }, context)
    expect((await list()).proposals).toMatchObject([{ run: 'make test' }])
    await call(host.router.checks.accept, { projectId, checks: [] }, context)
    expect(await list()).toEqual({ checks: [], problems: [], proposals: [] })
  })

  it('are red when a limit ended them, also when their program makes a success of it', async () => {
    const { folder, data, settings } = folders({ 'a.txt': 'a' })
    const run = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
    writeFileSync(settings, JSON.stringify({ checks: [{ name: 'trap', run, timeout: 0.5 }] }))
    await using host = await openTestHost(data)
    const project = await host.projects.open(folder)
    const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
    const branchId = readThread(project.services.log, threadId)?.branchId ?? ('' as BranchId)
    const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names: null, again: false } as const
    const checked = await project.services.checks.run({ ...request, by: 'person' }, never)
    expect(checked).toMatchObject({
      ok: true,
      value: [{ outcome: 'red', note: expect.stringContaining('within 0.5 s') }],
    })
  })
})
