import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { settingsReference } from '#adapters/settings/settings-reference.ts'
import { defaultLimits } from '#adapters/shell/limits/command-limits.ts'
import type { HostOptions } from '../composition/host-options.ts'
import { createSettingsSource, hostsFor } from './settings-source.ts'

it('reports a rule that cannot be read, because it has no effect', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
  const permissions = { deny: ['Bash(rm *', 'Bash(dd *)'], ask: ['two words'] }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ permissions }))
  const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
  const { problems, agents } = createSettingsSource(options).read()
  expect(problems.map((text) => text.split('permissions: ')[1])).toEqual([
    'deny "Bash(rm *" is not a rule (tool or tool(pattern)) and has no effect.',
    'ask "two words" is not a rule (tool or tool(pattern)) and has no effect.',
  ])
  expect(agents.policy.rules.deny).toContain('Bash(dd *)')
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
  expect(agents).toMatchObject({ quarantine: 'scoped', runner: { timeoutMs: 30_000, memoryMb: 64 } })
})

function read(settings: object, overrides: HostOptions['overrides'] = {}) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(settings))
  const options = { dataFolder, settingsFile: null, environment: {}, overrides } as unknown as HostOptions
  return createSettingsSource(options).read()
}

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

  it.each([
    ['a wrong host', '{"sandbox":{"mode":"off","hosts":{"/app":["a.example","*"]}}}', '"*" would be every host'],
    ['a wrong mode', '{"sandbox":"of"}', 'sandbox: '],
    ['an unknown key', '{"sandbox":{"host":{"/app":["a.example"]}}}', '"host"'],
    ['a mistake in the syntax', '{"sandbox":{"hosts":{"/app":["a.example"]}}', 'not JSON'],
  ])('are not granted while there is %s, which the refusal names; nothing is written', (_name, text, message) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    writeFileSync(join(dataFolder, 'settings.json'), text)
    const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
    expect(() => createSettingsSource(options).grantHosts('/app', ['b.example'])).toThrow(message)
    expect(readFileSync(join(dataFolder, 'settings.json'), 'utf8')).toBe(text)
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
    return { ...createSettingsSource(options).read(), rulesFile: '' }
  }
  expect(read(written)).toEqual(read('{}'))
  expect(named.length).toBeGreaterThan(30)
})
