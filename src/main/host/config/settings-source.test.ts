import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { settingsReference } from '#adapters/settings/settings-reference.ts'
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

describe('hosts that all commands may reach', () => {
  const read = (settings: object, overrides: HostOptions['overrides'] = {}) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
    writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(settings))
    const options = { dataFolder, settingsFile: null, environment: {}, overrides } as unknown as HostOptions
    return createSettingsSource(options).read()
  }

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
  ])('are none with the wrong name %s, which is reported with what to write', (wrong, message) => {
    const { hosts, problems } = read({ sandbox: { hosts: { '/app': ['a.example', wrong] } } })
    expect(problems).toEqual([expect.stringContaining(message)])
    expect(hostsFor(hosts, '/app')).toEqual([])
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
