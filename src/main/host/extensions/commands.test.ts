import { describe, expect, it } from 'vitest'
import { commandsIn } from './commands.ts'
import { mostBytes } from './project-text.ts'

function read(text: string | undefined, names: readonly string[] = ['fix'], isCut = false) {
  const file = { source: '/.claude/commands/fix.md', names, read: text === undefined ? undefined : { text, isCut } }
  const { commands, problems } = commandsIn({ files: [file], left: 0 })
  return { command: commands[0], problems: problems.map(({ line, message }) => `${line ?? ''} ${message}`.trim()) }
}

describe('a file of a command', () => {
  it('needs nothing but a text, whose first line describes it', () => {
    expect(read('\n# Fix it\n\nAll of it.')).toMatchObject({
      command: { name: 'fix', description: 'Fix it', hint: '', allowedTools: null, model: null, effort: null },
      problems: [],
    })
    expect(read('---\n---\nDo it.').command?.body).toBe('Do it.')
  })

  // Mutation: take a text of the file as it is.
  it('has a hint and a description that fit a list, whatever the file says', () => {
    const long = 'x'.repeat(2_000)
    const { command } = read(`---\nargument-hint: "\u202e${long}"\ndescription: ${long}\n---\nx`)
    expect([command?.hint, command?.description.length]).toEqual([`\\u{202e}${'x'.repeat(292)}`, 300])
  })

  it('says in front matter what it is about', () => {
    const text = `---
description: Fix an issue
argument-hint: [number] [priority]
allowed-tools: Bash(git add:*), Bash(npm run test *), Read, mcp__github__*
model: opus
effort: high
color: blue
---
Fix #$1.`
    expect(read(text, ['team a', 'fix'])).toEqual({
      command: {
        name: 'team-a:fix',
        description: 'Fix an issue',
        hint: '[number] [priority]',
        source: '/.claude/commands/fix.md',
        body: 'Fix #$1.',
        allowedTools: ['execute(git add:*)', 'execute(npm run test *)', 'read_file', 'mcp__github__*'],
        model: 'opus',
        effort: 'high',
        unknownKeys: ['color'],
      },
      problems: [],
    })
    expect(read('---\nargument-hint: [issue]\nallowed-tools:\n  - Read\n  - bash\n---\nx').command).toMatchObject({
      hint: '[issue]',
      allowedTools: ['read_file', 'execute'],
    })
    expect(read('---\nallowed-tools: []\n---\nx').command?.allowedTools).toEqual([])
  })

  it.each([
    ['front matter without an end', '---\ndescription: x\nFix it.'],
    ['a list in place of keys', '---\n- a\n---\nFix it.'],
    // Without it, more would run unasked than its author wanted.
    ['a limit of tools that is none', '---\nallowed-tools: 5\n---\nFix it.'],
    ['a limit of tools with a map', '---\nallowed-tools:\n  Bash: true\n---\nFix it.'],
    ['nothing to say', '---\ndescription: x\n---\n\n'],
    ['bytes', 'a\0b'],
  ])('with %s is not used, and a person hears why', (_, text) => {
    const { command, problems } = read(text)
    expect(command).toBeUndefined()
    expect(problems).toHaveLength(1)
  })

  it('that cannot be read, is too large, or has a name of Coppice itself is not used', () => {
    expect(read(undefined)).toEqual({ problems: [expect.stringContaining('cannot be read')] })
    expect(read('x', ['fix'], true)).toEqual({ problems: [expect.stringContaining(`${mostBytes / 1024} KB`)] })
    expect(read('x', ['help'])).toEqual({ problems: [expect.stringContaining('/help is a command of Coppice')] })
    expect(read('x', ['my', 'help']).command?.name).toBe('my:help')
  })

  it('with a model or an effort that nobody can read is used without it', () => {
    const { command, problems } = read('---\nmodel: [a]\neffort: turbo\n---\nFix it.')
    expect(command).toMatchObject({ effort: null })
    expect(problems).toEqual([expect.stringContaining('effort is not used')])
  })
})
