import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
    const after = { kind: 'directory' } as const
    expect(await diskApply?.check([{ path: at('/in/.data/views/x'), before: null, after }])).toMatchObject([
      { state: 'refused' },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
