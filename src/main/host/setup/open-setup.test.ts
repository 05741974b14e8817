import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { createStore, createTestServices } from '#core/agent/agent-services.testkit.ts'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import type { SandboxState } from '#core/ports/shell.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { setupSettings } from '../settings/setup-settings.ts'
import { openSetup } from './open-setup.ts'

const ofProject = { environment: { setup: 'mkdir node_modules; echo own > node_modules/m', hosts: ['x.org'] } }
const detected = JSON.stringify({ scripts: { setup: 'mkdir node_modules; echo found > node_modules/m' } })

interface Case {
  readonly state?: SandboxState['state']
  readonly override?: string
  readonly project?: Settings
  readonly own?: Settings
}

async function open({ state = 'on', override, project = {}, own = {} }: Case) {
  const files = { '/.gitignore': 'node_modules/\n', '/conductor.json': detected }
  const sandbox: SandboxState = { state, reason: 'For the test.' }
  const services = await createTestServices(createStore(files), { files, sandbox })
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-setup-'))
  const setup = await openSetup({
    ...services,
    ...{ rootFolder: '/app', dataFolder, override, home: dataFolder, environment: {} },
    settings: () => ({ setup: setupSettings(own) }),
    ofProject: () => project,
    access: () => promptFileAccess(services.settings().policy),
    announce: () => {},
  })
  onTestFinished(async () => {
    await setup[Symbol.asyncDispose]()
    rmSync(dataFolder, { recursive: true })
  })
  const asker = { threadId: 'thread' as ThreadId, branchId: 'branch' as BranchId }
  const ran = async () => (await setup.runs.prepare(asker, [], new AbortController().signal)).layers.length > 0
  return { setup, ran }
}

it('runs what a trusted project or its files name by itself in the whole sandbox', async () => {
  expect(await (await open({ project: ofProject })).ran()).toBe(true)
  expect(await (await open({ project: ofProject, override: 'auto' })).ran()).toBe(true)
  expect(await (await open({ override: 'auto' })).ran()).toBe(true)
})

it.each(['partial', 'off'] as const)(
  'runs nothing that no person named while the sandbox is %s, and proposes the project’s own first',
  async (state) => {
    for (const override of ['auto', undefined]) {
      const { setup, ran } = await open({ state, project: ofProject, ...(override && { override }) })
      expect(await ran()).toBe(false)
      await setup.runs.start()
      expect([await setup.runs.state(), setup.runs.layers().size]).toEqual([{ kind: 'none' }, 0])
      const proposals = await setup.proposals()
      expect(proposals.map(({ source }) => source)).toEqual(['/.coppice/settings.json', '/conductor.json'])
      expect(proposals[0]).toMatchObject({ command: ofProject.environment.setup, hosts: ['x.org'] })
    }
    expect(await (await open({ state, override: 'auto' })).ran()).toBe(false)
  },
)

it('runs without the sandbox what the person named in their settings or on the command line', async () => {
  const state = 'off'
  const own = { environment: { setup: ofProject.environment.setup } }
  expect(await (await open({ state, own })).ran()).toBe(true)
  expect(await (await open({ state, own, override: 'auto' })).ran()).toBe(true)
  expect(await (await open({ state, override: own.environment.setup, project: ofProject })).ran()).toBe(true)
})
