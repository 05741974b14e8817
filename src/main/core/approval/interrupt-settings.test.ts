import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { EffectKind } from './effects.ts'
import { fileAccess } from './file-policy.ts'
import { commonAnswers, type InterruptSetting, resolveSettings } from './interrupt-settings.ts'
import { asksAboutEffects, createJudge, type PolicyOptions } from './policy.ts'
import { noRules } from './rules.ts'
import { subjectOf } from './subject.testkit.ts'
import { noServerTools } from './tool-names.ts'

type Given = Readonly<Record<string, InterruptSetting>>

const options = (given: Given, change: Partial<PolicyOptions> = {}): PolicyOptions => ({
  interruptOn: resolveSettings(new Map(Object.entries(given)), noServerTools),
  rules: noRules,
  sandboxed: true,
  ...change,
})

interface Asked {
  readonly tool: string
  readonly args?: JsonObject
  readonly effects?: Readonly<Partial<Record<EffectKind, string>>>
}

const gateOf = (given: Given, { tool, args = {}, effects = {} }: Asked, change: Partial<PolicyOptions> = {}) =>
  createJudge(options(given, change))({
    ...subjectOf(tool, args),
    mode: 'auto-edit',
    effects: Object.entries(effects).map(([kind, path]) => ({ kind: kind as EffectKind, path: path as VirtualPath })),
  })
const kind = (given: Given, asked: Asked) => gateOf(given, asked).kind

describe('a setting covers the effect that it names', () => {
  const modify = { modify: '/a' }
  it.each<Asked>([
    { tool: 'edit_file', effects: modify },
    { tool: 'multi_edit', effects: modify },
    { tool: 'write_file', effects: modify },
    { tool: 'run_js_code', effects: modify },
    { tool: 'run_js_file', effects: { delete: '/a' } },
    { tool: 'run_python_code', effects: modify },
    { tool: 'run_python_file', effects: { create: '/b', modify: '/a' } },
    { tool: 'delete', effects: { delete: '/a' } },
    { tool: 'move', effects: { move: '/a' } },
    { tool: 'execute', args: { command: 'sed -i s/a/b/ a' } },
  ])('edit_file: $tool', (asked) => {
    expect(kind({ edit_file: true, execute: false }, asked)).toBe('ask')
    expect(kind({ Edit: true, execute: false }, asked)).toBe('ask')
    expect(kind({ execute: false }, asked)).toBe('run')
  })

  it('write_file covers new files and whole files, not edits of a part', () => {
    const asks = (asked: Asked) => kind({ write_file: true, execute: false }, asked)
    expect([
      asks({ tool: 'write_file', effects: { create: '/a' } }),
      asks({ tool: 'run_js_code', effects: { create: '/a' } }),
      asks({ tool: 'run_js_code', effects: { modify: '/a' } }),
      asks({ tool: 'execute', args: { command: 'touch a' } }),
    ]).toEqual(['ask', 'ask', 'ask', 'ask'])
    expect(asks({ tool: 'edit_file', effects: { modify: '/a' } })).toBe('run')
  })

  it('delete covers deletions by code, and a setting of its own replaces that for edits', () => {
    const deletion = { tool: 'run_js_code', effects: { delete: '/a' } } as const
    expect(kind({ delete_file: true }, deletion)).toBe('ask')
    expect(kind({ edit_file: true, delete: false }, deletion)).toBe('run')
    expect(kind({ edit_file: true, delete: false }, { tool: 'delete', effects: { delete: '/a' } })).toBe('run')
  })

  it('task covers every way to start agents, and write_todos every change of the plan', () => {
    expect(['task', 'spawn_subagents', 'batch_task'].map((tool) => kind({ Task: true }, { tool }))).toEqual([
      'ask',
      'ask',
      'ask',
    ])
    expect(kind({ TodoWrite: true }, { tool: 'update_todo_status' })).toBe('ask')
    expect(kind({ read_file: true }, { tool: 'grep', args: { path: '/' } })).toBe('ask')
    expect(kind({ run_js_code: true }, { tool: 'run_js_file' })).toBe('ask')
  })

  it('does not ask about code that changes nothing', () => {
    expect(kind({ edit_file: true, write_file: true }, { tool: 'run_js_code' })).toBe('run')
  })

  it('applies `when` to the files that code changes', () => {
    const given: Given = { edit_file: { allowed_decisions: ['approve', 'reject'], when: ['src/**'] } }
    const changing = (path: string) => kind(given, { tool: 'run_js_code', effects: { modify: path } })
    expect([changing('/src/a'), changing('/docs/a')]).toEqual(['ask', 'run'])
    expect(kind({ ...given, execute: false }, { tool: 'execute', args: { command: 'ls' } })).toBe('ask')
  })

  it('covers deletions and moves of certain files, whatever makes them', () => {
    const when: InterruptSetting = { allowed_decisions: ['approve', 'reject'], when: ['/src/**'] }
    const given: Given = { delete: when, move: when }
    const code = (effects: Asked['effects']) => kind(given, { tool: 'run_js_code', effects: effects ?? {} })
    expect([code({ delete: '/src/a' }), code({ delete: '/a' }), code({ move: '/src/a' })]).toEqual([
      'ask',
      'run',
      'ask',
    ])
    const both: Given = { edit_file: true, delete: when }
    expect([
      kind(both, { tool: 'delete', args: { path: '/a' }, effects: { delete: '/a' } }),
      kind(both, { tool: 'run_js_code', effects: { delete: '/src/a' } }),
      kind({ edit_file: true, '*': false }, { tool: 'run_js_code', effects: { delete: '/a' } }),
    ]).toEqual(['ask', 'ask', 'ask'])
  })

  it('says which setting asks, and which files it is about', () => {
    expect(gateOf({ edit_file: true }, { tool: 'run_js_code', effects: { modify: '/a' } })).toMatchObject({
      rule: 'setting interrupt_on.edit_file: it would change /a',
    })
    expect(gateOf({ edit_file: true, execute: false }, { tool: 'execute', args: { command: 'ls' } })).toMatchObject({
      rule: 'setting interrupt_on.edit_file: a command can do the same',
    })
  })
})

describe('rules and settings together', () => {
  const command = { tool: 'execute', args: { command: 'npm test' } }
  const allowing = { rules: { ...noRules, allow: ['execute(npm test)'] } }

  it('let an allow rule answer for the tool’s own setting, not for one about its effect', () => {
    expect(gateOf({ execute: true }, command, allowing).kind).toBe('run')
    expect(gateOf({ execute: true, edit_file: true }, command, allowing).kind).toBe('ask')
  })

  it('say when no allow rule could answer', () => {
    const allowable = (given: Given, asked: Asked, change: Partial<PolicyOptions> = {}) => {
      const gate = gateOf(given, asked, change)
      return gate.kind === 'ask' ? gate.allowable : gate.kind
    }
    expect([
      allowable({}, command),
      allowable({ execute: true }, command),
      allowable({ edit_file: true }, command),
      allowable({}, command, { sandboxed: false }),
      allowable({ edit_file: true }, { tool: 'run_js_code', effects: { modify: '/a' } }),
      allowable({}, { tool: 'write_file', args: { file_path: '/a' } }, { rules: { ...noRules, ask: ['write_file'] } }),
    ]).toEqual([undefined, undefined, false, false, false, false])
  })

  it('never let a rule of the user answer for a setting of the project', () => {
    const narrowing = [new Map<string, InterruptSetting>([['execute', true]])]
    expect(gateOf({ execute: false }, command, { ...allowing, narrowing }).kind).toBe('ask')
  })

  it('ask with the answers that all of them allow, and always with a rejection', () => {
    const narrowing = [new Map<string, InterruptSetting>([['execute', { allowed_decisions: ['approve', 'reject'] }]])]
    expect(gateOf({}, command, { narrowing })).toMatchObject({ allowed: ['approve', 'reject'] })
    expect(gateOf({ execute: { allowed_decisions: ['edit', 'reject'] } }, command, { narrowing })).toMatchObject({
      allowed: ['reject'],
    })
    expect(commonAnswers([['approve'], ['edit']])).toEqual(['reject'])
  })

  it('ask about every change while a setting names no tool', () => {
    const unclear = 'interrupt_on: There is no tool "wrte_file".'
    expect(gateOf({}, { tool: 'write_file' }, { unclear })).toMatchObject({ kind: 'ask', rule: unclear })
    expect(gateOf({}, { tool: 'read_file' }, { unclear }).kind).toBe('run')
  })
})

describe('files that a running call opens', () => {
  const path = '/src/a' as VirtualPath

  it('can be changed by an approved call even if a rule asks, and never if a rule denies', () => {
    const asking = options({}, { rules: { ...noRules, ask: ['Edit(src/**)'] } })
    const denying = options({}, { rules: { ...noRules, deny: ['Edit(src/**)'] } })
    expect([fileAccess(asking).mayChange(path), fileAccess(asking, true).mayChange(path)]).toEqual([false, true])
    expect(fileAccess(denying, true).mayChange(path)).toBe(false)
  })

  it('are judged by their own settings with a pattern, whatever tool those name', () => {
    const given: Given = { edit_file: { allowed_decisions: ['approve'], when: ['src/**'] } }
    expect(fileAccess(options(given)).mayChange(path)).toBe(false)
    expect(fileAccess(options(given)).mayChange('/docs/a' as VirtualPath)).toBe(true)
  })

  it.each(['/.env', '/a/server.pem', '/.env.example', '/src/a', '/inputs/x.json'])(
    'can be read without any setting exactly as with one that is about something else: %s',
    (file) => {
      const others = [options({}, { rules: { ...noRules, allow: ['execute(ls)'] } }), options({ execute: true })]
      const answers = [options({}), ...others].map((one) => fileAccess(one).mayRead(file as VirtualPath))
      expect(new Set(answers).size).toBe(1)
    },
  )

  it('need no preview of calls while nothing asks about changes', () => {
    expect([
      asksAboutEffects(options({ execute: true })),
      asksAboutEffects(options({ delete: true })),
      asksAboutEffects(options({ delete: false })),
      asksAboutEffects(options({}, { rules: { ...noRules, ask: ['Bash(rm *)'] } })),
      asksAboutEffects(options({}, { rules: { ...noRules, ask: ['Edit(/a)'] } })),
    ]).toEqual([false, true, false, false, true])
  })
})
