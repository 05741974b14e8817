import { describe, expect, it } from 'vitest'
import { fold } from '#shared/model/fold/project.ts'
import { projectThread } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import { instructionsText, memoryIndex, skillsIndex } from './appendices.ts'

describe('appendices of a prompt', () => {
  it('are empty when there is nothing to list', () => {
    expect([instructionsText([]), skillsIndex([]), memoryIndex('/memories/', [])]).toEqual(['', '', ''])
  })

  it('give each file of instructions under its name, trimmed', () => {
    const files = [
      { file: 'AGENTS.md', text: '\n Use tabs. \n\n' },
      { file: 'CLAUDE.md', text: '' },
    ]
    expect(instructionsText(files)).toBe(
      '# Instructions of the project (AGENTS.md)\n\nUse tabs.\n\n# Instructions of the project (CLAUDE.md)\n\n',
    )
  })

  it('list the newest memories first, each with its first line, cut, and count the rest', () => {
    const texts = Array.from({ length: 52 }, (_, index) =>
      index === 51 ? `${'x'.repeat(150)}\nmore` : ` note ${index}\nmore`,
    )
    const body = {
      type: 'memory.written',
      threadId: projectThread,
      agent: null,
      callId: null,
      restores: null,
      at: 0,
    } as const
    const state = texts.reduce(
      (folded, text, index) => fold(folded, { ...body, name: `m${index}.md`, text, sequence: index + 1 }),
      emptyProject,
    )
    const lines = memoryIndex('/memories/', [...state.memories.values()]).split('\n')
    expect(lines[0]).toBe('# Memories')
    expect(lines[1]).toBe(`- /memories/m51.md: ${'x'.repeat(99)}…`)
    expect(lines[2]).toBe('- /memories/m50.md: note 50')
    expect(lines.slice(-2)).toEqual(['- /memories/m2.md: note 2', '- and 2 more; use ls'])
  })
})
