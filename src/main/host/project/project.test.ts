import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { createOverlayTransaction, emptyTree } from '#overlay'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const signal = new AbortController().signal
const at = (path: string): VirtualPath => path as VirtualPath

it('hides a data folder inside the project from the agent, its searches and its commands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-inside-'))
  try {
    writeFileSync(join(folder, 'a.txt'), 'canary')
    mkdirSync(join(folder, 'in'))
    symlinkSync('in', join(folder, 'alias'))
    await using host = await openTestHost(join(folder, 'alias/.data'))
    const { services, diskApply } = await host.projects.open(folder)
    writeFileSync(join(folder, 'in/.data/key'), 'canary')
    expect(await services.base.stat(at('/in/.data'))).toBeUndefined()
    expect((await services.base.list(at('/in')))?.entries).toEqual([])
    const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
    const query = { pattern: 'canary', context: 0, caseInsensitive: false, literal: true, multiline: false }
    expect((await services.search.grep(query, scope, signal)).files.map(({ path }) => path)).toEqual(['/a.txt'])
    expect(await services.search.files([], scope, signal)).toEqual(['/a.txt'])
    await using mount = await services.mounts.open({ owner: 'main', overlay: [] }, signal)
    const command = { command: 'ls -A in', timeoutMs: 20_000, mount, onOutput: () => undefined }
    expect(await services.shell.execute(command, signal)).toMatchObject({ output: '' })
    expect(await mount.capture()).toMatchObject({ changes: [] })
    const draft = createOverlayTransaction({ ...services, tree: emptyTree })
    const bytes = new TextEncoder().encode('x')
    const refused = expect.objectContaining({ code: 'refused', message: expect.stringContaining('own data folder') })
    for (const path of ['/in/.data', '/in/.data/key', '/alias/.data/new', '/in/.data/a/b'].map(at)) {
      await expect(draft.write(path, bytes), path).rejects.toThrow(refused)
      await expect(draft.makeDirectory(path), path).rejects.toThrow(refused)
      await expect(draft.makeSymlink(path, 'a.txt'), path).rejects.toThrow(refused)
      await expect(draft.move(at('/a.txt'), path), path).rejects.toThrow(refused)
      await expect(draft.delete(path), path).rejects.toThrow(refused)
    }
    expect(draft.patch()).toEqual([])
    const after = { kind: 'directory' } as const
    expect(await diskApply?.check([{ path: at('/in/.data/views/x'), before: null, after }])).toMatchObject([
      { state: 'refused' },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('stops using a folder that was moved away, and never uses another one in its place', async () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-moved-'))
  const folder = join(above, 'project')
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.txt'), 'canary')
    await using host = await openTestHost(join(above, 'data'))
    const { services, diskApply } = await host.projects.open(folder)
    const uses: Readonly<Record<string, () => Promise<unknown>>> = {
      stat: () => services.base.stat(at('/a.txt')),
      list: () => services.base.list(rootPath),
      read: () => services.base.read(at('/a.txt')),
      grep: () => services.search.grep(query, scope, signal),
      glob: () => services.search.files([], scope, signal),
      mount: async () => (await services.mounts.open({ owner: 'main', overlay: [] }, signal))[Symbol.asyncDispose](),
      apply: async () =>
        diskApply?.apply([{ path: at('/new'), before: null, after: { kind: 'directory' } }], () => new Uint8Array()),
    }
    const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
    const query = { pattern: 'canary', context: 0, caseInsensitive: false, literal: true, multiline: false }
    renameSync(folder, `${folder}-away`)
    for (const swapped of [false, true]) {
      if (swapped) {
        mkdirSync(folder)
        writeFileSync(join(folder, 'a.txt'), 'of another project')
      }
      for (const [name, use] of Object.entries(uses))
        await expect(use(), `${name} ${swapped}`).rejects.toThrow(/was moved away or replaced.*open it again/)
    }
    expect(readdirSync(folder)).toEqual(['a.txt'])
    rmSync(folder, { recursive: true })
    renameSync(`${folder}-away`, folder)
    for (const [name, use] of Object.entries(uses)) await expect(use(), name).resolves.not.toThrow()
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
})

it('tells agents of a rule that the app stored at once, and of one from elsewhere in the next turn', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-rules-'))
  try {
    mkdirSync(join(folder, 'project'))
    await using host = await openTestHost(join(folder, 'data'))
    const { services } = await host.projects.open(join(folder, 'project'))
    const denied = () => services.settings().policy.rules.deny
    expect(denied()).toEqual([])
    await call(host.router.settings.changeRules, { effect: 'deny', add: ['read_file(/own)'] }, { context: {} })
    expect(denied()).toEqual(['read_file(/own)'])
    writeFileSync(join(folder, 'data/settings.json'), '{ "permissions": { "deny": ["read_file(/elsewhere)"] } }')
    await new Promise((resolve) => setImmediate(resolve))
    expect(denied()).toEqual(['read_file(/elsewhere)'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('gives agents the same settings until something is set, or a folder in them leads elsewhere', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-same-')))
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  try {
    const [project, link, twin] = [join(folder, 'project'), join(folder, 'link'), join(folder, 'twin')]
    mkdirSync(project)
    mkdirSync(join(folder, 'data'))
    const hosts = { [link]: ['example.org'] }
    const approvals = { projects: { [twin]: { commands: 'before' } } }
    writeFileSync(join(folder, 'data/settings.json'), JSON.stringify({ sandbox: { hosts }, approvals }))
    await using host = await openTestHost(join(folder, 'data'))
    const { services } = await host.projects.open(project)
    const first = services.settings()
    await nextTurn()
    expect(services.settings()).toBe(first)
    expect(first.policy.hosts).toEqual([])
    symlinkSync(project, link)
    await nextTurn()
    expect(services.settings().policy.hosts).toEqual(['example.org'])
    rmSync(link)
    await nextTurn()
    expect(services.settings().policy.hosts).toEqual([])
    const usual = services.settings().policy.commands
    symlinkSync(project, twin)
    await nextTurn()
    expect(services.settings().policy.commands).toBe('before')
    rmSync(twin)
    await nextTurn()
    expect([services.settings().policy.commands, usual]).toEqual([usual, undefined])
    const before = services.settings()
    await call(host.router.settings.changeRules, { effect: 'deny', add: ['read_file(/own)'] }, { context: {} })
    expect(services.settings()).not.toBe(before)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

// Mutation: without `emptyMade` the folder of a delivery, a patch or a search that was killed stays for good.
it('begins without the temporary files of an app that was killed', async () => {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-left-')))
  mkdirSync(join(above, 'folder'))
  const placesOf = async (leave: boolean) => {
    await using host = await openTestHost(join(above, 'data'))
    await host.projects.open(join(above, 'folder'))
    const [name = ''] = readdirSync(join(above, 'data/projects'))
    const temporary = join(above, 'data/projects', name, 'temporary')
    if (leave) mkdirSync(join(temporary, 'delivery-1/git/objects'), { recursive: true })
    return readdirSync(temporary).filter((one) => one.startsWith('delivery'))
  }
  expect(await placesOf(true)).toEqual(['delivery-1'])
  expect(await placesOf(false)).toEqual([])
})
