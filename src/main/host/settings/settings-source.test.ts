import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { settingsReference } from '#adapters/settings/settings-reference.ts'
import { defaultLimits } from '#adapters/shell/limits/command-limits.ts'
import type { HostOptions } from '../app/host-options.ts'
import { hostsFor, reachFor } from './granted-reach.ts'
import { agentsOf, createSettingsSource, type SettingsSource } from './settings-source.ts'

/** Mutation: without `guards` in `settings-check.ts`, each of these is only a remark, and agents work without the guard. */
describe('a value of a setting that guards is an error before the run when it cannot be used:', () => {
  it.each([
    ['{"permissions": {"deny": "Bash(rm *)"}}', 'permissions: deny'],
    ['{"permissions": {"deny": [1, "Bash(dd *)"]}}', 'permissions: deny.0'],
    ['{"permissions": {"Deny": ["Bash(rm *)"]}}', 'permissions: '],
    ['{"permissions": ["Bash(rm *)"]}', 'permissions: '],
    ['{"permissions": {"deny": []}, "permissions": {"ask": []}}', '"permissions" stands here twice.'],
    ['{"permissions": {"deny": ["a"], "deny": []}}', 'permissions: "deny" stands here twice.'],
    ['{"permission": {"deny": []}}', 'Did you mean permissions?'],
    ['{"interruptOn": {"execute": true}}', 'Did you mean interrupt_on?'],
    ['{"approval-mode": "ask"}', 'Did you mean approval_mode?'],
    ['{"hooks": {"PreToolUs": []}}', 'hooks.PreToolUs: Coppice asks no hooks at this moment.'],
    ['{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt"}]}]}}', 'a hook of the type "prompt" does not run here'],
    ['{"hooks": {"PreToolUse": [{"matcher": "(a+)+", "hooks": []}]}}', 'cannot be used, because it repeats a group'],
    ['{"defaultMode": "plan"}', 'Write approval_mode.'],
    ['{"approval_mode": "plann"}', 'approval_mode: '],
    ['{"approval_mode": ["plan"]}', 'approval_mode: '],
    ['{"approvals": {"commands": "befor"}}', 'approvals: '],
    ['{"approvals": {"command": "before"}}', 'approvals: '],
    ['{"interrupt_on": ["execute"]}', 'interrupt_on: '],
    ['{"middleware": [{"stage": "approvals", "mode": "pln"}]}', 'middleware: '],
    ['{"budgets": {"run": {"cost": "5"}}}', 'budgets: run.cost'],
    ['{"budgets": {"run": {"dollars": 5}}}', 'budgets: '],
    ['{"budgets": {"runs": {"cost": 5}}}', 'budgets: '],
    ['{"budgets": 5}', 'budgets: '],
    ['{"max_iterations": "10"}', 'max_iterations: '],
    ['{"max_subagent_depth": -1}', 'max_subagent_depth: '],
    ['{"sandbox": "on"}', 'sandbox: '],
    ['{"sandbox": {"limits": {"memory": 100}}}', 'sandbox: '],
    ['{"quarantine": {"mode": "stric"}}', 'quarantine: '],
    ['{"memory": {"user": "no"}}', 'memory: '],
    ['{"runner": {"memory_mb": "64"}}', 'runner: '],
    ['{"goal": {"checks": "test"}}', 'goal: '],
    ['{"checks": [{"name": "test", "run": "npm test", "required": "yes"}]}', 'checks: '],
    ['{"model": "m" "permissions": {}}', 'not JSON: '],
    ['["permissions"]', 'the settings must be one JSON object.'],
  ])('%s', (text, words) => {
    for (const given of ['settings.json', 'given.json']) {
      const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
      writeFileSync(join(dataFolder, given), text)
      const settingsFile = given === 'given.json' ? join(dataFolder, given) : null
      const options = { dataFolder, settingsFile, environment: {} } as unknown as HostOptions
      const { problems, agents } = createSettingsSource(options).read()
      expect(agents.gateProblems.join('\n')).toContain(words)
      expect(agents.gateProblems.join('\n')).toContain(given)
      expect(problems).toEqual(agents.gateProblems)
    }
  })

  it.each([
    '{"model": 1, "colour": 2, "editor": "vi", "gpu": "maybe", "$schema": "x", "updates": 1}',
    '{"interrupt_on": {"execute": "yes"}}',
  ])('but %s, which leaves nothing open, is not', (text) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    writeFileSync(join(dataFolder, 'settings.json'), text)
    const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
    const { problems, agents } = createSettingsSource(options).read()
    expect([problems.length > 0, agents.gateProblems]).toEqual([true, []])
  })
})

it('says which rules and questions a file for one run takes the place of', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
  const hook = (command: string) => ({ hooks: [{ type: 'command', command }] })
  const own = {
    permissions: { deny: ['Bash(rm *)'], ask: ['Edit'] },
    interrupt_on: { execute: true, task: false },
    hooks: { PreToolUse: [hook('guard'), hook('kept')], Stop: [hook('kept')] },
  }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(own))
  const settingsFile = join(dataFolder, 'given.json')
  writeFileSync(
    settingsFile,
    JSON.stringify({
      permissions: { ask: ['Edit'] },
      interrupt_on: {},
      hooks: { PreToolUse: [hook('kept')], Stop: [hook('kept')] },
    }),
  )
  const options = { dataFolder, settingsFile, environment: {} } as unknown as HostOptions
  expect(createSettingsSource(options).read().problems).toEqual([
    `${settingsFile}: permissions: it takes the place of your own rules Bash(rm *).`,
    `${settingsFile}: interrupt_on: it takes the place of your own for execute.`,
    `${settingsFile}: hooks: it takes the place of your own hooks for PreToolUse.`,
  ])
})

it('reports invalid values in the environment, and uses the settings instead', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ quarantine: { mode: 'scoped' } }))
  const environment = { COPPICE_QUARANTINE_MODE: 'of', COPPICE_RUNNER_TIMEOUT_MS: '5s', COPPICE_RUNNER_MEMORY_MB: '64' }
  const { problems, agents } = createSettingsSource({
    dataFolder,
    settingsFile: null,
    environment,
  } as unknown as HostOptions).read()
  expect(problems).toEqual([
    'COPPICE_QUARANTINE_MODE: "of" is not strict, scoped, off. The settings decide.',
    'COPPICE_RUNNER_TIMEOUT_MS: "5s" is not a number of milliseconds. The settings decide.',
  ])
  expect(agents.gateProblems).toEqual(problems)
  expect(agents).toMatchObject({ quarantine: 'scoped', runner: { timeoutMs: 30_000, memoryMb: 64 } })
})

function read(settings: object, overrides: HostOptions['overrides'] = {}) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(settings))
  const options = { dataFolder, settingsFile: null, environment: {}, overrides } as unknown as HostOptions
  return createSettingsSource(options).read()
}

// Mutation: without `...ofFolder(portsByFolder, rootFolder)` the project has only what the command line named.
it('reads what of this machine commands reach, by the folder of the project and from the command line', () => {
  const settings = {
    sandbox: {
      mode: 'off',
      local_ports: { '/home/me/app/': [5432, 0, 70_000], '/other': [80] },
      sockets: { '/home/me/app': ['/run/docker.sock', '~/agent', 'docker.sock', '/run/../x', '/run/'] },
    },
  }
  const all = read(settings, { localPorts: [6379, 5432], sockets: ['/run/one'] })
  for (const said of ['local_ports', 'sockets', 'Write it in full', 'Write the path without "." and ".."'])
    expect(all.problems.join('\n')).toContain(said)
  expect(all.sandbox).toBe('off')
  expect(reachFor(all.reach, '/home/me/app')).toEqual({
    localPorts: [6379, 5432],
    sockets: ['/run/one', '/run/docker.sock', join(homedir(), 'agent')],
  })
  expect(reachFor(all.reach, null)).toEqual({ localPorts: [6379, 5432], sockets: ['/run/one'] })
  // An approval is judged with all of it, since what a command does there cannot be taken back.
  expect(agentsOf(all, '/other').policy.hosts).toEqual(['localhost:6379', 'localhost:5432', 'localhost:80', '/run/one'])
})

it('reads what one command may take, and keeps the rest of the sandbox when a limit is wrong', () => {
  const set = read({ sandbox: { mode: 'off', limits: { memory_mb: 512, disk_mb: 100 } } })
  expect(set.commandLimits).toEqual({
    ...{ ...defaultLimits, memoryBytes: 512 * 1024 ** 2 },
    disk: { ...defaultLimits.disk, taken: 100 * 1024 ** 2 },
  })
  const wrong = read({ sandbox: { mode: 'off', limits: { processes: 'many', cpu_seconds: 9 } } })
  expect([wrong.sandbox, wrong.commandLimits]).toEqual(['off', { ...defaultLimits, cpuSeconds: 9 }])
  expect(wrong.problems[0]).toContain('limits.processes')
})

describe('hosts that all commands may reach', () => {
  it('are those of the folder of the project, and those of the command line for every one', () => {
    const settings = {
      sandbox: { mode: 'off', hosts: { '/home/me/app/': ['a.example', '*.b.example:443'], '/other': ['c.example'] } },
    }
    const { hosts, sandbox, problems } = read(settings, { hosts: ['d.example', 'a.example'] })
    expect([sandbox, problems]).toEqual(['off', []])
    expect(hostsFor(hosts, '/home/me/app')).toEqual(['d.example', 'a.example', '*.b.example:443'])
    expect(hostsFor(hosts, '/home/me')).toEqual(['d.example', 'a.example'])
    expect(hostsFor(hosts, null)).toEqual(['d.example', 'a.example'])
    expect(hostsFor(read({ sandbox: 'off' }).hosts, '/home/me/app')).toEqual([])
  })

  it.each([
    ['https://a.example', 'Write only the name of its host'],
    ['*', 'would be every host'],
    ['*.com', 'Name the domain too'],
  ])(
    'leave out the wrong name %s, which is reported with what to write, and keep everything else',
    (wrong, message) => {
      const all = { '/app': ['a.example', wrong, wrong], '/other': ['b.example'] }
      const { hosts, sandbox, problems } = read({ sandbox: { mode: 'off', hosts: all } })
      expect(problems).toEqual([expect.stringContaining(message)])
      expect(problems[0]).not.toContain('..')
      expect([sandbox, hostsFor(hosts, '/app'), hostsFor(hosts, '/other')]).toEqual([
        'off',
        ['a.example'],
        ['b.example'],
      ])
    },
  )

  it('report each folder that is no path from the root, and each unknown key', () => {
    const all = { '~/app': ['a.example'], '.': ['b.example'], '/app': ['c.example', '*'] }
    const { hosts, sandbox, problems } = read({ sandbox: { mode: 'off', host: {}, hosts: all } })
    expect(problems).toHaveLength(1)
    for (const name of ['"~/app"', '"."', '"host"', '"*"']) expect(problems[0]).toContain(name)
    expect([sandbox, hosts.byFolder]).toEqual(['off', { '/app': ['c.example'] }])
  })

  it('are those of a folder that is a link to the project', () => {
    const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-settings-source-')))
    mkdirSync(join(above, 'real'))
    symlinkSync('real', join(above, 'link'))
    const { hosts } = read({ sandbox: { hosts: { [join(above, 'link')]: ['a.example'] } } })
    expect(hostsFor(hosts, join(above, 'real'))).toEqual(['a.example'])
  })

  it('are ports and sockets of this machine as well, each under its own key, beside what is there', () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    const file = join(dataFolder, 'settings.json')
    writeFileSync(file, '{"sandbox":{"local_ports":{"/app":[1]}}}')
    const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
    const source = createSettingsSource(options)
    source.grantHosts('/app', ['localhost:5432', 'a.example', '/run/docker.sock', '127.0.0.1:1'])
    expect(JSON.parse(readFileSync(file, 'utf8')).sandbox).toEqual({
      hosts: { '/app': ['a.example'] },
      local_ports: { '/app': [1, 5432] },
      sockets: { '/app': ['/run/docker.sock'] },
    })
    expect(source.read().problems).toEqual([])
  })

  it.each([
    ['a wrong host', '{"sandbox":{"mode":"off","hosts":{"/app":["a.example","*"]}}}', '"*" would be every host'],
    ['a wrong mode', '{"sandbox":"of"}', 'sandbox: '],
    ['an unknown key', '{"sandbox":{"host":{"/app":["a.example"]}}}', '"host"'],
    ['a setting that stands twice', '{"sandbox":"off","sandbox":{"hosts":{}}}', 'stands here twice'],
    ['a mistake in the syntax', '{"sandbox":{"hosts":{"/app":["a.example"]}}', 'not JSON'],
  ])('are not granted while there is %s, which the refusal names; nothing is written', (_name, text, message) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    writeFileSync(join(dataFolder, 'settings.json'), text)
    const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
    expect(() => createSettingsSource(options).grantHosts('/app', ['b.example'])).toThrow(message)
    expect(readFileSync(join(dataFolder, 'settings.json'), 'utf8')).toBe(text)
  })
})

// Mutation: take `requireOnce` out of one of the writers.
describe('a setting that stands twice', () => {
  const writers: readonly (readonly [key: string, write: (source: SettingsSource) => unknown])[] = [
    ['permissions', (source) => source.updateRules({ effect: 'deny', add: ['Bash(rm *)'], remove: [] })],
    ['model', (source) => source.update({ model: 'other' })],
    ['budgets', (source) => source.put(['budgets', 'run', 'cost'], 1)],
    ['sandbox', (source) => source.grantHosts('/app', ['a.example'])],
    ['environment', (source) => source.saveSetup('/app', { setup: 'make' })],
    ['checks_by_folder', (source) => source.saveChecks('/app', [{ name: 'a', run: 'make', required: true }])],
  ]

  it.each(writers)('is not changed, because that would have no effect: %s', async (key, write) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    const file = join(dataFolder, 'settings.json')
    const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
    const text = `{"${key}": {}, "${key}": {}}`
    writeFileSync(file, text)
    await expect(async () => write(createSettingsSource(options))).rejects.toThrow('stands here twice')
    expect(readFileSync(file, 'utf8')).toBe(text)
    writeFileSync(file, '{"editor": "a", "editor": "b"}')
    await write(createSettingsSource(options))
    expect(createSettingsSource(options).text()).toContain(`"${key}"`)
  })
})

it('has the defaults that the reference names', () => {
  const named = settingsReference().filter(({ usual }) => usual !== null)
  const written = named.reduce((text, { path, usual }) => {
    const edits = modify(text, path.split('.'), JSON.parse(usual ?? ''), {})
    return applyEdits(text, edits)
  }, '{}')
  const read = (text: string) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    writeFileSync(join(dataFolder, 'settings.json'), text)
    const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
    const settings = createSettingsSource(options).read()
    return { ...settings, rulesFile: '', hooks: { ...settings.hooks, file: '' } }
  }
  expect(read(written)).toEqual(read('{}'))
  expect(named.length).toBeGreaterThan(30)
})
