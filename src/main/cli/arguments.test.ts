import { describe, expect, it } from 'vitest'
import { unknownWordProblem } from './arguments.ts'

const nothing = () => false

describe('an unknown word on the command line', () => {
  it('is reported as neither a command nor a folder', () => {
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
  ])('suggests the nearest command: %s means %s', (word, command) => {
    expect(unknownWordProblem(word, nothing)).toContain(`Did you mean "coppice ${command}"?`)
  })

  it.each(['./frobnicate', '/tmp/project', 'C:\\\\project', 'a b'])('is a path when it looks like one: %s', (word) => {
    expect(unknownWordProblem(word, nothing)).toBeNull()
  })

  it('is a folder when a folder of that name exists', () => {
    expect(unknownWordProblem('frobnicate', (path) => path === 'frobnicate')).toBeNull()
  })
})
