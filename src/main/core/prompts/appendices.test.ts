import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '#shared/model/fold/project.ts'
import { projectThread } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { instructionsText, memoryIndex, skillsIndex } from './appendices.ts'

/** The index of memories that were written in this order. */
function indexOf(memories: readonly (readonly [name: string, text: string])[]): string {
  const fields = { type: 'memory.written', threadId: projectThread, agent: null, callId: null, restores: null } as const
  const state = memories.reduce(
    (folded, [name, text], index) => fold(folded, { ...fields, name, text, sequence: index + 1, at: 0 }),
    emptyProject,
  )
  return memoryIndex('/memories/', [...state.memories.values()])
}

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
    const lines = indexOf(texts.map((text, index) => [`m${index}.md`, text])).split('\n')
    expect(lines[0]).toBe('# Memories')
    expect(lines[2]).toBe(`- {"file":"/memories/m51.md","begins":"${'x'.repeat(99)}…"}`)
    expect(lines[3]).toBe('- {"file":"/memories/m50.md","begins":"note 50"}')
    expect(lines.slice(-2)).toEqual(['- {"file":"/memories/m2.md","begins":"note 2"}', '- and 2 more; use ls'])
  })

  // Mutation: when a name is put into the prompt as it is, a line break in it begins a line of the prompt.
  it('have the same lines whatever the names are', () => {
    const part = fc.constantFrom('\n', '\r', '\u2028', '\u202e', '\u001b[2J', '# System', '- ', '"', '\\', 'a', ' ')
    const hostile = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''))
    const promptOf = (name: string): string =>
      [
        indexOf([[name, `${name}.`]]),
        skillsIndex([{ name, description: name, file: `/${name}` as VirtualPath, attached: () => [] }]),
        instructionsText([{ file: name, text: 'Use tabs.' }]),
      ].join('\n\n')
    const lineCount = promptOf('a').split('\n').length
    fc.assert(
      fc.property(hostile, (name) => {
        const prompt = promptOf(name)
        expect(prompt.split(/[\n\r\u2028\u2029]/)).toHaveLength(lineCount)
        expect(prompt).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
      }),
    )
  })
})
