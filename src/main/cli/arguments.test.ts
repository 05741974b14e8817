import { describe, expect, it } from 'vitest'
import { unknownWordProblem } from './arguments.ts'

const nothing = () => false

describe('a word that is no command', () => {
  it('is named as neither a command nor a folder', () => {
    expect(unknownWordProblem('frobnicate', nothing)).toBe(
      '"frobnicate" is neither a command nor a folder here. Commands: open, serve, run, resume, threads, export, doctor.',
    )
  })

  it.each([
    ['rnu', 'run'],
    ['thread', 'threads'],
    ['docter', 'doctor'],
    ['server', 'serve'],
    ['exprot', 'export'],
  ])('comes near a command: %s means %s', (word, command) => {
    expect(unknownWordProblem(word, nothing)).toContain(`Did you mean "coppice ${command}"?`)
  })

  it.each(['./frobnicate', '/tmp/project', 'C:\\\\project', 'a b'])('is a path when it looks like one: %s', (word) => {
    expect(unknownWordProblem(word, nothing)).toBeNull()
  })

  it('is a folder when there is one of that name', () => {
    expect(unknownWordProblem('frobnicate', (path) => path === 'frobnicate')).toBeNull()
  })
})
