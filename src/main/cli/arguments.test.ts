import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { asGitStores } from '#core/branches/stored-patch.ts'
import { placeFlags, readCommandLine, UsageError } from './arguments.ts'

/** The message of the usage error; null where the command line is fine. */
function problemOf(args: readonly string[], exists: (path: string) => boolean = () => false): string | null {
  try {
    readCommandLine(args, exists)
    return null
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error)
  }
}

describe('an unknown word on the command line', () => {
  it('is reported as neither a command nor a folder', () => {
    expect(problemOf(['frobnicate'])).toBe(
      '"frobnicate" is neither a command nor a folder here. Commands: open, serve, run, resume, threads, branches, diff, blame, bisect, merge, checks, discard, undo, rewind, apply, deliver, logs, compose, needed, checkout, open-branch, acp, mcp, hooks, import, export, usage, doctor, completion.',
    )
  })

  it.each([
    ['rnu', 'run'],
    ['thread', 'threads'],
    ['docter', 'doctor'],
    ['server', 'serve'],
    ['exprot', 'export'],
  ])('suggests the nearest command: %s means %s', (word, command) => {
    expect(problemOf([word])).toContain(`Did you mean "coppice ${command}"?`)
  })

  it.each(['./frobnicate', '/tmp/project', 'C:\\\\project', 'a b'])('is a path when it looks like one: %s', (word) => {
    expect(problemOf([word])).toBeNull()
  })

  it.each([
    [['runn', '--task', 'x'], 'run'],
    [['exprot', 'T', '--patch', 'f'], 'export'],
    [['runn', 'x'], 'run'],
  ])('is named before the flags and words behind it: %s', (args, command) => {
    expect(problemOf(args)).toContain(`Did you mean "coppice ${command}"?`)
  })

  it('is found behind flags, and does not keep anyone from the help', () => {
    expect(problemOf(['--port', '80', 'frobnicate'])).toContain('neither a command nor a folder')
    expect([problemOf(['frobnicate', '--help']), problemOf(['--version'])]).toEqual([null, null])
  })

  it('is a folder when a folder of that name exists', () => {
    expect(problemOf(['frobnicate'], (path) => path === 'frobnicate')).toBeNull()
  })
})

it('keeps a comma in a path, and splits other lists', () => {
  const line = readCommandLine(['diff', 'last', '--paths', '/a,b', '--paths', '/c'])
  expect(line.texts('paths')).toEqual(['/a,b', '/c'])
  expect(readCommandLine(['logs', 'last', '--agent', 'main, docs']).texts('agent')).toEqual(['main', 'docs'])
})

it('repeats where threads are in the next commands, quoted for a shell', () => {
  const line = readCommandLine(['undo', 'last', '--data-dir', "it's here", '--settings', './s.json'])
  expect(placeFlags(line)).toBe(` --data-dir 'it'\\''s here' --settings ./s.json`)
  expect(placeFlags(readCommandLine(['undo', 'last']))).toBe('')
})

it('reads the line that a patch proposes for a repository inside the project', async () => {
  const repository = "it's a lib"
  const storage = { innerRepositories: async () => new Set([repository]), store: async () => null }
  const file = { mode: '100644', bytes: new Uint8Array() } as const
  const collected = {
    files: [{ path: `${repository}/x`, before: null, after: file }],
    base: [],
    leftOut: [],
    attributes: { before: new Map(), after: new Map() },
  }
  const { leftOut } = await asGitStores(storage, collected, { isChosen: false, made: [] })
  const proposed = /\(coppice (.*)\),/.exec(leftOut[0]?.why ?? '')?.[1] ?? ''
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${proposed}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
  const line = readCommandLine(words)
  expect([line.command, line.positionals, line.texts('paths')]).toEqual(['diff', ['THREAD'], [`/${repository}`]])
})
