import { expect, it } from 'vitest'
import type { BranchId, LayerId, ThreadId } from '#shared/model/ids.ts'
import type { SetupDefinition, SetupState } from '#shared/model/setup.ts'
import { createStore, createTestServices, type ServicesOptions } from '../agent/agent-services.testkit.ts'
import { promptFileAccess } from '../approval/file-policy.ts'
import { emptySetupRecord, type SetupRecords } from '../ports/stores/setup-records.ts'
import { createProjectSetup } from './project-setup.ts'

const install = 'mkdir node_modules; cp lock node_modules/installed; echo done'
const files = { '/.gitignore': 'node_modules/\n', '/lock': 'one\n', '/source': 's' }

function memoryRecords(): SetupRecords {
  let [record, output] = [emptySetupRecord, '']
  return {
    read: () => record,
    write: (next) => {
      record = next
    },
    readOutput: () => output,
    writeOutput: (text) => {
      output = text
    },
  }
}

async function open(definition: Partial<SetupDefinition> | null = {}, options: ServicesOptions = {}) {
  const store = createStore({ ...files, ...options.files })
  const services = await createTestServices(store, options)
  const records = memoryRecords()
  const told: SetupState[] = []
  let set = definition && { command: install, inputs: ['lock'], hosts: [], ...definition }
  const openSetup = () =>
    createProjectSetup({
      ...services,
      records,
      find: () => set,
      timeoutMs: () => 60_000,
      access: () => promptFileAccess(services.settings().policy),
      announce: (_, state) => void told.push(state),
    })
  const setup = openSetup()
  const prepare = (branch: string, own: readonly LayerId[] = [], signal = new AbortController().signal, by = setup) =>
    by.prepare({ threadId: 'thread' as ThreadId, branchId: branch as BranchId }, own, signal)
  /** What a command of a branch with these layers prints, and the layers that it leaves. */
  const command = async (script: string, environment: readonly LayerId[]) => {
    const signal = new AbortController().signal
    await using mount = await services.mounts.open({ owner: 'branch', overlay: [], environment }, signal)
    const request = { command: script, timeoutMs: 1000, mount, onOutput: () => {} }
    const { output } = await services.shell.execute(request, signal)
    return { output, layers: (await mount.capture(true)).environment }
  }
  return {
    ...{ services, setup, openSetup, records, told, prepare, command },
    change: (next: SetupDefinition | null) => {
      set = next
    },
  }
}

it('runs once, for all that wait for it, and every branch finds what it left', async () => {
  const { prepare, command, told, setup } = await open()
  expect(await setup.state()).toEqual({ kind: 'waiting', command: install })
  const [one, two] = await Promise.all([prepare('one'), prepare('two')])
  expect(told.map(({ kind }) => kind)).toEqual(['running', 'running', 'ready'])
  expect(one).toEqual({ layers: two.layers, note: expect.stringContaining('ran before your commands') })
  expect((await command('cat node_modules/installed', one.layers)).output).toBe('one\n')
  expect(await prepare('one', one.layers)).toEqual({ layers: one.layers, note: null })
  expect(setup.output()).toBe('done\n')
  expect([...setup.layers()]).toEqual(one.layers)
})

it('is nothing when none is set, and runs nothing before a command asks', async () => {
  const { prepare, setup, told } = await open(null)
  expect(await prepare('one', ['own' as LayerId])).toEqual({ layers: ['own'], note: null })
  expect([await setup.state(), await setup.describe(), told]).toEqual([{ kind: 'none' }, null, []])
})

it('is known again after a restart', async () => {
  const { prepare, openSetup, told } = await open()
  const { layers } = await prepare('one')
  const again = openSetup()
  expect(await prepare('two', [], undefined, again)).toMatchObject({ layers })
  expect(told).toHaveLength(3)
})

it('runs again when an input, the command or its hosts change, and a branch without own files follows', async () => {
  const { services, prepare, command, change } = await open()
  const first = await prepare('one')
  const own = await command('echo own > node_modules/own', first.layers)
  services.onDisk('/lock', 'two\n')
  const followed = await prepare('one', first.layers)
  expect(followed.note).toContain('ran again')
  expect((await command('cat node_modules/installed', followed.layers)).output).toBe('two\n')
  const kept = await prepare('two', own.layers)
  expect(kept).toEqual({ layers: own.layers, note: expect.stringContaining('you keep that one') })
  expect(await prepare('two', own.layers)).toEqual({ layers: own.layers, note: null })
  change({ command: install, inputs: ['lock'], hosts: ['example.com'] })
  expect((await prepare('three')).layers).not.toEqual(followed.layers)
  services.onDisk('/source', 'not an input')
  const three = await prepare('three')
  expect((await prepare('four')).layers).toEqual(three.layers)
})

it('leaves nothing when it fails, and is told to the agent once, with its last lines', async () => {
  const { prepare, setup, services } = await open({ command: `${install}; echo cannot >&2; exit 3` })
  const { layers, note } = await prepare('one')
  expect(layers).toEqual([])
  expect(note).toMatch(/failed.*exit code 3.*cannot/s)
  expect(await prepare('one')).toEqual({ layers: [], note: null })
  expect(await setup.describe()).toBe('given up: It ended with exit code 3.')
  expect(await services.mounts.layerUsage()).toEqual([])
})

it('says what to do about a setup that takes too long or asks for something', async () => {
  const { prepare } = await open({ command: 'echo "Password: "; sleep 100' })
  const { note } = await prepare('one')
  expect(note).toMatch(/did not end within 1 minute.*asked for an answer.*environment\.timeout_minutes/s)
})

it('says what to do about one that opens a terminal, or ends without a word', async () => {
  const terminal = await open({ command: 'echo "line 1: /dev/tty: No such device" >&2; exit 1' })
  expect((await terminal.prepare('one')).note).toContain('asked for an answer')
  const silent = await open({ command: 'exit 1' })
  expect((await silent.prepare('one')).note).toContain('It cannot ask anybody for an answer')
})

it('fails with the reason when a pattern of its inputs is none', async () => {
  const { prepare, setup } = await open({ inputs: ['[z-a'] })
  expect((await prepare('one')).note).toContain('Correct environment.inputs')
  await setup.start()
  expect((await setup.state()).kind).toBe('failed')
})

it('can be cancelled, then started again by a person', async () => {
  const { prepare, setup, change, services } = await open({ command: `${install}; sleep infinity` })
  const waiting = prepare('one')
  await expect.poll(async () => (await setup.state()).kind).toBe('running')
  await expect.poll(() => setup.output()).toBe('done\n')
  setup.cancel()
  expect((await waiting).note).toContain('It was cancelled.')
  expect(await services.mounts.layerUsage()).toEqual([])
  change({ command: install, inputs: [], hosts: [] })
  await setup.start()
  await expect.poll(async () => (await setup.state()).kind).toBe('ready')
})

it('goes on when a command that waits for it is stopped', async () => {
  const { prepare, setup } = await open({ command: `${install}; sleep infinity` })
  const stop = new AbortController()
  const waiting = prepare('one', [], stop.signal)
  await expect.poll(() => setup.output()).toBe('done\n')
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  expect((await setup.state()).kind).toBe('running')
  await setup[Symbol.asyncDispose]()
  expect((await setup.layers()).size).toBe(0)
})

it('runs again when what it left is gone from the disk, and the agent is told', async () => {
  const { services, prepare, command } = await open()
  const first = await prepare('one')
  const own = await command('echo own > node_modules/own', first.layers)
  await services.mounts.dropLayers(new Set(first.layers))
  const again = await prepare('one', own.layers)
  expect(again.note).toContain('was gone from the disk')
  expect((await command('ls node_modules', again.layers)).output).toBe('installed\n')
})

it('drops changes of files that no rule ignores, names them, and fails when there is nothing else', async () => {
  const mixed = await open({ command: `${install}; echo changed > source` })
  const { layers, note } = await mixed.prepare('one')
  expect(note).toContain('these changes were dropped: /source')
  expect((await mixed.command('cat source', layers)).output).toBe('s')
  const tracked = await open({ command: 'mkdir packages; echo p > packages/p' })
  expect((await tracked.prepare('one')).note).toContain('Add the folder that it fills to .gitignore')
})

it('says so when the disk has no room for what it left', async () => {
  const { prepare } = await open({}, { layerRoom: 1 })
  expect((await prepare('one')).note).toMatch(/failed.*The disk is full/s)
})

it('does not see the files that agents may not read', async () => {
  const { prepare, setup } = await open(
    { command: 'cat .env; mkdir node_modules; cp .env node_modules' },
    {
      files: { '/.env': 'KEY=secret' },
    },
  )
  await prepare('one')
  expect(setup.output()).not.toContain('secret')
})
