import { describe, expect, it } from 'vitest'
import { testSettings } from '../agent/agent-services.testkit.ts'
import type { AgentSettings } from '../agent/types/settings.ts'
import { settingsForReplay, settingsToRecord } from './recorded-settings.ts'

const policy = (more: Partial<AgentSettings['policy']>) => ({ ...testSettings.policy, ...more })

describe('the settings of a record', () => {
  it('are the limits of the replay', () => {
    const recorded = settingsToRecord({ ...testSettings, maxIterations: 7, maxSubagentDepth: 3 })
    expect(JSON.parse(JSON.stringify(recorded))).toEqual(recorded)
    expect(settingsForReplay(testSettings, recorded)).toMatchObject({ maxIterations: 7, maxSubagentDepth: 3 })
  })

  it('hold neither the words of prompts nor what allows', () => {
    const rules = { deny: ['read_file(/x)'], ask: ['delete'], allow: ['execute(rm *)'] }
    const tuned = { ...testSettings, systemPrompt: 'CANARY', policy: policy({ rules, hosts: ['canary.example'] }) }
    const text = JSON.stringify(settingsToRecord(tuned))
    expect(text).not.toMatch(/canary/i)
    expect(text).not.toContain('rm *')
    expect(text).toContain('read_file(/x)')
  })

  it('take no more of the machine than the person allows, and keep commands asking before they run', () => {
    const greedy = {
      ...testSettings,
      mostProcesses: 1_000_000,
      runner: { ...testSettings.runner, memoryMb: 1_000_000, timeoutMs: 1 },
      policy: policy({ commands: 'adopt' }),
    }
    const careful = { ...testSettings, policy: policy({ commands: 'before' }) }
    const replay = settingsForReplay(careful, settingsToRecord(greedy))
    expect([replay.mostProcesses, replay.policy.commands]).toEqual([testSettings.mostProcesses, 'before'])
    expect(replay.runner).toEqual({ ...testSettings.runner, timeoutMs: 1 })
  })

  it('can add questions and denials to those of the person, and take none away', () => {
    const own = policy({ rules: { deny: ['write_file(/own)'], ask: [], allow: ['write_file(/both)'] } })
    const other = policy({
      interruptOn: new Map([
        ['edit_file', true],
        ['write_file', false],
      ]),
      rules: { deny: ['write_file(/both)'], ask: [], allow: ['write_file(/own)'] },
    })
    const replay = settingsForReplay(
      { ...testSettings, policy: own },
      settingsToRecord({ ...testSettings, policy: other }),
    ).policy
    expect(replay.rules.deny).toEqual(['write_file(/own)', 'write_file(/both)'])
    expect(replay.rules.allow).toEqual(['write_file(/both)'])
    expect(replay.narrowing).toEqual([new Map([['edit_file', true]])])
    expect(replay.interruptOn).toBe(own.interruptOn)
  })
})
