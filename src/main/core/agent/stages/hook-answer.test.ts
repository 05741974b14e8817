import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hookEvents } from '#shared/model/calls/hooks.ts'
import { readHookAnswer } from './hook-answer.ts'

const ended = (exitCode: number, stdout = '', stderr = '') => ({ exitCode, stdout, stderr, problem: null })
const said = (value: unknown) => ended(0, JSON.stringify(value))

describe('readHookAnswer', () => {
  it('takes exit code 2 for a refusal with what stands in the standard error', () => {
    expect(readHookAnswer('PreToolUse', ended(2, 'ignored', 'Not here.\n'))).toEqual({
      verdict: { kind: 'refuse', reason: 'Not here.' },
    })
    expect(readHookAnswer('Stop', ended(2, '', 'Run the tests.'))).toEqual({
      verdict: { kind: 'refuse', reason: 'Run the tests.' },
    })
  })

  it('tells a refusal of what already is to whom it concerns', () => {
    expect(readHookAnswer('PostToolUse', ended(2, '', 'Format it.'))).toEqual({ add: 'Format it.', said: 'Format it.' })
    expect(readHookAnswer('SessionStart', ended(2, '', 'No.'))).toEqual({ said: 'No.' })
  })

  it('reads the decisions about a call, in the newer and the older form', () => {
    const decide = (permissionDecision: string) =>
      readHookAnswer(
        'PreToolUse',
        said({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: 'why' } }),
      )
    expect(decide('deny').verdict).toEqual({ kind: 'refuse', reason: 'why' })
    expect(decide('ask').verdict).toEqual({ kind: 'ask', reason: 'why' })
    expect(decide('allow').verdict).toEqual({ kind: 'allow', reason: 'why' })
    expect(decide('defer').verdict).toBeUndefined()
    expect(readHookAnswer('PreToolUse', said({ decision: 'block', reason: 'why' })).verdict?.kind).toBe('refuse')
    expect(readHookAnswer('PreToolUse', said({ decision: 'approve' })).verdict?.kind).toBe('allow')
  })

  it('asks where a decision cannot be read, since it may have been meant to guard', () => {
    const answer = readHookAnswer('PreToolUse', said({ hookSpecificOutput: { permissionDecision: 'denied' } }))
    expect(answer.verdict?.kind).toBe('ask')
    expect(answer.problem).toContain('hookSpecificOutput.permissionDecision')
  })

  it('reads what a hook adds, says and changes', () => {
    const answer = readHookAnswer(
      'PreToolUse',
      said({
        systemMessage: 'Careful.',
        hookSpecificOutput: { updatedInput: { command: 'ls' }, additionalContext: 'Note this.' },
      }),
    )
    expect(answer).toEqual({ input: { command: 'ls' }, add: 'Note this.', said: 'Careful.' })
    const replaced = { hookSpecificOutput: { updatedToolOutput: { stdout: 'short' } } }
    expect(readHookAnswer('PostToolUse', said(replaced))).toEqual({ content: 'short' })
    expect(readHookAnswer('PostToolUse', said({ continue: false, stopReason: 'Enough.' }))).toEqual({ stop: 'Enough.' })
  })

  it('gives plain text to the agent only at the beginning and with a message', () => {
    expect(readHookAnswer('SessionStart', ended(0, 'On main.\n'))).toEqual({ add: 'On main.' })
    expect(readHookAnswer('UserPromptSubmit', ended(0, 'It is Monday.'))).toEqual({ add: 'It is Monday.' })
    expect(readHookAnswer('PreToolUse', ended(0, 'checked'))).toEqual({})
  })

  it('names a failure and lets things go on, unless the hook is to refuse then', () => {
    expect(readHookAnswer('PreToolUse', ended(1, '', 'line 1\nboom'))).toEqual({
      problem: 'It ended with exit code 1. boom',
    })
    expect(readHookAnswer('PreToolUse', ended(0, '{"decision": "blo'))).toEqual({
      problem: 'It printed something that begins like JSON and is none: {"decision": "blo',
    })
    expect(readHookAnswer('PreToolUse', ended(1), true).verdict?.kind).toBe('refuse')
    const late = { exitCode: null, stdout: '', stderr: '', problem: 'It took too long.' }
    expect(readHookAnswer('PreToolUse', late, true)).toEqual({
      problem: 'It took too long.',
      verdict: { kind: 'refuse', reason: 'It took too long.' },
    })
  })

  it('never throws, and never allows because of what it cannot read', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...hookEvents),
        fc.integer({ min: 0, max: 255 }),
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((text) => text.slice(0, -1)),
        ),
        fc.string(),
        (event, code, stdout, stderr) => {
          const answer = readHookAnswer(event, ended(code, stdout, stderr))
          if (code !== 0) expect(answer.verdict?.kind).not.toBe('allow')
          if (answer.problem !== undefined) expect(answer.problem.length).toBeLessThan(1_000)
        },
      ),
    )
  })
})
