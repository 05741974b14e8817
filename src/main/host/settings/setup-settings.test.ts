import { describe, expect, it } from 'vitest'
import { parseSettings } from '#adapters/settings/settings-file.ts'
import { chooseSetup, setupSettings } from './setup-settings.ts'

const folder = '/home/me/app'
const ofProject = { setup: 'make deps', inputs: ['lock'], hosts: ['preset:npm', 'x.org'] }
const choose = (environment: object, project: typeof ofProject | undefined = ofProject) =>
  chooseSetup(setupSettings({ environment }), project, folder)

describe('the setup of a project', () => {
  it('is the person’s own for its folder, else their general one, else that of the trusted project', () => {
    const general = { setup: 'general' }
    const own = { ...general, projects: { [folder]: { setup: 'npm ci', inputs: ['a'], hosts: ['preset:npm'] } } }
    expect(choose(own)).toEqual({
      definition: { command: 'npm ci', inputs: ['a'], hosts: ['preset:npm'] },
      ...{ origin: 'settings', proposedHosts: [], never: false },
    })
    expect(choose(general).definition?.command).toBe('general')
    expect(choose({}).origin).toBe('project')
    expect(choose({ projects: { '/other': { setup: 'npm ci' } } }).definition?.command).toBe('make deps')
    expect(chooseSetup(setupSettings({}), undefined, folder).definition).toBeNull()
  })

  it('has no host of the project before the person allowed it', () => {
    expect(choose({})).toMatchObject({ definition: { hosts: [] }, proposedHosts: ['preset:npm', 'x.org'] })
    expect(choose({ projects: { [folder]: { hosts: ['x.org'] } } })).toMatchObject({
      ...{ definition: { command: 'make deps', inputs: ['lock'], hosts: ['x.org'] } },
      proposedHosts: ['preset:npm'],
    })
  })

  it('is none for a project for which the person wants none', () => {
    expect(choose({ setup: 'general', projects: { [folder]: { setup: null } } })).toMatchObject({
      ...{ definition: null, never: true, proposedHosts: [] },
    })
  })

  it('ends after twenty minutes, or after what the settings say', () => {
    expect(setupSettings({}).timeoutMs).toBe(1_200_000)
    expect(setupSettings({ environment: { timeout_minutes: 0.5 } }).timeoutMs).toBe(30_000)
  })

  it('is refused by the settings with an unknown preset, host or folder, and the rest counts', () => {
    const { settings, problems } = parseSettings(
      'settings.json',
      JSON.stringify({
        environment: { setup: 'make', hosts: ['preset:nmp', 'preset:npm'], projects: { app: { setup: 'x' } } },
        sandbox: { hosts: { '/a': ['preset:go', 'preset:', '*'] } },
      }),
    )
    expect(problems.join('\n')).toMatch(/"preset:nmp" is not a preset\. The presets are preset:npm, preset:pypi/)
    expect(problems.join('\n')).toContain('"app" is not the path of a folder from the root')
    expect(problems.join('\n')).toContain('"preset:" is not a preset')
    expect(settings.environment).toEqual({ setup: 'make', hosts: ['preset:npm'], projects: {} })
    expect(settings.sandbox).toEqual({ hosts: { '/a': ['preset:go'] } })
  })
})
