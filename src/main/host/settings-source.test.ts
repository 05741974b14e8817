import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HostOptions } from './host-options.ts'
import { createSettingsSource } from './settings-source.ts'

it('names a rule that cannot be read, for it holds for nothing', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-settings-source-'))
  const permissions = { deny: ['Bash(rm *', 'Bash(dd *)'], ask: ['two words'] }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ permissions }))
  const options = { dataFolder, settingsFile: null, environment: {} } as unknown as HostOptions
  const { problems, agents } = createSettingsSource(options).read()
  expect(problems.map((text) => text.split('permissions: ')[1])).toEqual([
    'deny "Bash(rm *" is no rule (tool or tool(pattern)) and holds for nothing.',
    'ask "two words" is no rule (tool or tool(pattern)) and holds for nothing.',
  ])
  expect(agents.policy.rules.deny).toContain('Bash(dd *)')
})
