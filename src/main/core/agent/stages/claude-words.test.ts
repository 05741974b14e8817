import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownToolName } from '../../approval/tool-names.ts'
import { fromHookInput, namesInHooks, toHookInput } from './claude-words.ts'

const folders = { folder: '/home/me/app', others: [{ root: '/lib', folder: '/home/me/lib' }] }

describe('words of hooks', () => {
  it('names tools and arguments as Claude Code does, with real paths', () => {
    expect(namesInHooks('execute')).toEqual(['Bash', 'execute'])
    expect(toHookInput('execute', { command: 'npm test', timeout: 5 }, folders)).toEqual({
      command: 'npm test',
      timeout: 5000,
    })
    expect(toHookInput('edit_file', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }, folders)).toEqual({
      ...{ file_path: '/home/me/app/src/a.ts', old_string: 'a', new_string: 'b' },
    })
    expect(toHookInput('read_file', { file_path: '/lib/x.ts' }, folders)).toEqual({ file_path: '/home/me/lib/x.ts' })
    expect(toHookInput('task', { description: 'Do it.' }, folders)).toEqual({ description: 'Do it.', prompt: 'Do it.' })
  })

  it.each([
    ...['Read', 'Write', 'Edit', 'MultiEdit', 'Glob', 'Grep', 'LS', 'Bash', 'BashOutput', 'KillBash', 'KillShell'],
    ...['WebFetch', 'Task', 'Agent', 'AskUserQuestion', 'ExitPlanMode', 'TodoWrite', 'TodoRead'],
  ])('means the same tool by %s as rules do', (name) => {
    expect(ownToolName(name)).not.toBe(name)
    expect(namesInHooks(ownToolName(name))).toContain(name)
  })

  it('takes nothing of a server for a path of the project', () => {
    expect(namesInHooks('mcp__files__read')).toEqual(['mcp__files__read'])
    expect(toHookInput('mcp__files__read', { path: '/a' }, folders)).toEqual({ path: '/a' })
  })

  it('finds the way back for every tool', () => {
    const path = fc
      .array(fc.stringMatching(/^[a-z][a-z0-9.]{0,8}$/), { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`)
    const calls = fc.oneof(
      fc.record({
        name: fc.constant('execute'),
        args: fc.record({ command: fc.string(), timeout: fc.nat(600), background: fc.boolean() }),
      }),
      fc.record({ name: fc.constant('write_file'), args: fc.record({ file_path: path, content: fc.string() }) }),
      fc.record({
        name: fc.constant('edit_file'),
        args: fc.record({ file_path: path, old_string: fc.string(), new_string: fc.string() }),
      }),
      fc.record({
        name: fc.constant('grep'),
        args: fc.record({ pattern: fc.string(), path, limit: fc.nat(9), case_insensitive: fc.boolean() }),
      }),
      fc.record({ name: fc.constant('move'), args: fc.record({ from: path, to: path }) }),
      fc.record({
        name: fc.constant('task'),
        args: fc.record({ description: fc.string(), subagent_type: fc.string() }),
      }),
    )
    fc.assert(
      fc.property(calls, ({ name, args }) => {
        expect(fromHookInput(name, toHookInput(name, args, folders), folders)).toEqual(args)
      }),
    )
  })
})
