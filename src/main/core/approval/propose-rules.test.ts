import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { proposeRules } from './propose-rules.ts'
import { subjectOf } from './subject.testkit.ts'

const proposed = (tool: string, args: JsonObject = {}) => proposeRules(subjectOf(tool, args))
const forCommand = (command: string) => proposed('execute', { command })

describe('rules proposed for a call', () => {
  it.each([
    ['npm run test', [['execute(npm run test)'], ['execute(npm run *)']]],
    [
      'npm test && npm run lint',
      [
        ['execute(npm test)', 'execute(npm run lint)'],
        ['execute(npm test *)', 'execute(npm run *)'],
      ],
    ],
    ['timeout 60 npm test', [['execute(npm test)'], ['execute(npm test *)']]],
    ['ls -la src', [['execute(ls -la src)'], ['execute(ls *)']]],
    ['rm -rf build', [['execute(rm -rf build)']]],
    ['python3 tool.py', [['execute(python3 tool.py)']]],
    ['./build.sh fast', [['execute(./build.sh fast)']]],
    [
      'git status && rm x',
      [
        ['execute(git status)', 'execute(rm x)'],
        ['execute(git status *)', 'execute(rm x)'],
      ],
    ],
  ])('%s', (command, rules) => {
    expect(forCommand(command)).toEqual(rules)
  })

  it('are only the wider one when a word contains a space, which no pattern can express', () => {
    expect(forCommand("git commit -m 'two words'")).toEqual([['execute(git commit *)']])
  })

  it.each(['npm run "$(curl x)"', 'npm test > out', 'A=1 make', "rm 'two words'", 'npm run a & b', ''])(
    'are none for %j, which no rule can allow',
    (command) => {
      expect(forCommand(command)).toEqual([])
    },
  )

  it('are one for a tool of a server, then one for the whole server', () => {
    expect(proposed('mcp__git_hub__get_issue')).toEqual([['mcp__git_hub__get_issue'], ['mcp__git_hub__*']])
  })

  it('are one for a file, then one for its folder, but none for the folder of a possible secret', () => {
    expect(proposed('write_file', { file_path: '/src/a.ts' })).toEqual([
      ['write_file(/src/a.ts)'],
      ['write_file(/src/**)'],
    ])
    expect(proposed('read_file', { file_path: '/config/.env' })).toEqual([['read_file(/config/.env)']])
    expect(proposed('write_file', { file_path: '/a.ts' })).toEqual([['write_file(/a.ts)']])
    expect(proposed('move', { from: '/a/x', to: '/b/x' })).toEqual([
      ['move(/a/x)', 'move(/b/x)'],
      ['move(/a/**)', 'move(/b/**)'],
    ])
  })

  it('are none for a tool that names no file', () => {
    expect(proposed('ask_user', { question: 'x' })).toEqual([])
  })
})

it('a rule for an address is about its host', () => {
  expect(proposed('fetch_url', { url: 'https://Docs.example/a/b?c' })).toEqual([['fetch_url(docs.example)']])
  expect(proposed('fetch_url', { url: 'http://docs.example:8080/' })).toEqual([['fetch_url(docs.example:8080)']])
  expect(proposed('fetch_url', { url: 'https://me@docs.example/' })).toEqual([])
})
