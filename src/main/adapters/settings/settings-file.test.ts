import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processorTime } from '#overlay/testkit'
import { noSettings, readSettings, updateRules, updateSettings } from './settings-file.ts'

const file = () => join(mkdtempSync(join(tmpdir(), 'coppice-settings-')), 'settings.json')

describe('settings file', () => {
  it('reads a missing file as empty', () => {
    expect(readSettings(file())).toEqual(noSettings)
  })

  it('uses valid values and reports invalid ones with their lines', () => {
    const path = file()
    writeFileSync(path, '{\n  // mine\n  "model": "m",\n  "max_iterations": 0,\n  "colour": 1,\n}\n')
    const { settings, problems } = readSettings(path)
    expect(settings).toEqual({ model: 'm' })
    expect(problems).toHaveLength(2)
    expect(problems[0]).toContain(`${path}:4: max_iterations`)
    expect(problems[1]).toContain(`${path}:5: unknown setting "colour"`)
  })

  /** Notices a reader that looks at the whole text again for each mistake. */
  it('reads thousands of unknown keys and mistakes at once, and names the line of each key', () => {
    const path = file()
    writeFileSync(path, `{\n${Array.from({ length: 10_000 }, (_, at) => `"key${at}": ${at},`).join('\n')}\n}`)
    const taken = processorTime(() => {
      const { problems } = readSettings(path)
      expect(problems).toHaveLength(10_000)
      expect(problems[9_999]).toContain(`${path}:10001: unknown setting "key9999"`)
      writeFileSync(path, `{${'x '.repeat(60_000)}`)
      expect(readSettings(path).problems.length).toBeLessThan(100)
    })
    expect(taken).toBeLessThan(10_000)
  })

  it('is not read when it nests too deeply, so that everything asks', () => {
    const path = file()
    writeFileSync(path, `{"interrupt_on": ${'['.repeat(100_000)}`)
    const { settings, problems, gateProblems } = readSettings(path)
    expect([settings, problems]).toEqual([{}, [expect.stringMatching(/deeper than 64 levels. None of it is used.$/)]])
    expect(gateProblems).toEqual(problems)
  })

  it('removes only the invalid part of a value: a mistake does not remove other rules or limits', async () => {
    const path = file()
    const permissions = { deny: ['Bash(rm *)', 7], allow: [3, 'Bash(ls)', 'Bash(pwd)'] }
    const interrupt_on = { write_file: true, execute: 'yes', move: { allowed_decisions: [] }, delete: true }
    const budgets = { run: { cost: '1' }, thread: { cost: 2 } }
    writeFileSync(path, JSON.stringify({ permissions, interrupt_on, budgets, quarantine: { mode: 'none' } }))
    const { settings, problems } = readSettings(path)
    expect(settings).toEqual({
      permissions: { deny: ['Bash(rm *)'], ask: [], allow: ['Bash(ls)', 'Bash(pwd)'] },
      interrupt_on: { write_file: true, execute: true, move: true, delete: true },
      budgets: { run: {}, thread: { cost: 2 } },
    })
    expect(problems.map((text) => text.replace(/^.*:1: (\w+): .*\. /, '$1: '))).toEqual([
      'permissions: The rest of permissions is used.',
      'interrupt_on: Until that is fixed, the tool asks; the rest of interrupt_on is used.',
      'budgets: The rest of budgets is used.',
      'quarantine: The default is used.',
    ])
    await updateRules(path, { effect: 'allow', add: [], remove: ['Bash(ls)'] })
    expect(JSON.parse(readFileSync(path, 'utf8')).permissions.allow).toEqual([3, 'Bash(pwd)'])
  })

  it('accepts a single pattern in place of a list', () => {
    const path = file()
    const delicate = { allowed_decisions: ['reject'], when: '/secret/**' }
    writeFileSync(path, JSON.stringify({ interrupt_on: { write_file: delicate } }))
    const { settings, problems } = readSettings(path)
    expect(problems).toEqual([])
    expect(settings.interrupt_on).toEqual({ write_file: { ...delicate, when: ['/secret/**'] } })
  })

  it('keeps comments and other keys when one changes', async () => {
    const path = file()
    writeFileSync(path, '{\n  // mine\n  "model": "m",\n  "colour": 1\n}\n')
    await updateSettings(path, { model: 'n', max_iterations: 7 })
    const text = readFileSync(path, 'utf8')
    expect(text).toContain('// mine')
    expect(text).toContain('"colour": 1')
    expect(readSettings(path).settings).toEqual({ model: 'n', max_iterations: 7 })
  })

  it('adds and removes single rules and keeps the comments between them', async () => {
    const path = file()
    writeFileSync(
      path,
      '{\n  "permissions": {\n    "allow": [\n      // quick\n      "Bash(ls)",\n      "Bash(pwd)"\n    ]\n  }\n}\n',
    )
    await updateRules(path, { effect: 'allow', add: ['Bash(npm test *)', 'Bash(ls)'], remove: ['Bash(pwd)'] })
    await updateRules(path, { effect: 'deny', add: ['Bash(rm *)'], remove: ['Bash(not there)'] })
    expect(readFileSync(path, 'utf8')).toContain('// quick')
    expect(readSettings(path).settings.permissions).toEqual({
      allow: ['Bash(ls)', 'Bash(npm test *)'],
      ask: [],
      deny: ['Bash(rm *)'],
    })
  })

  it('removes a key that is set to null', async () => {
    const path = file()
    await updateSettings(path, { base_url: 'http://127.0.0.1:1' })
    await updateSettings(path, { base_url: null })
    expect(readSettings(path).settings).toEqual({})
  })

  // Mutation: take `about` from a message of one of the kinds.
  it.each([
    ['[1]', null],
    ['{', null],
    [`${'['.repeat(70)}`, null],
    ['{"checks": [], "checks": []}', 'checks'],
    ['{"sandbox": {"mode": "off", "mode": "on"}}', 'sandbox'],
    ['{"max_iterations": "many"}', 'max_iterations'],
    ['{"x: checks: not JSON": 1}', 'x: checks: not JSON'],
  ])('says of a problem which setting it is about, whatever its words are: %s', (text, about) => {
    const path = file()
    writeFileSync(path, text)
    expect(readSettings(path).found.map((one) => one.about)).toContain(about)
    expect(readSettings(path).found.map(({ said }) => said)).toEqual(readSettings(path).problems)
  })

  it('says where a file stops being JSON', () => {
    const path = file()
    writeFileSync(path, '[1]')
    expect(readSettings(path).problems).toEqual([`${path}: the settings must be one JSON object.`])
  })
})
