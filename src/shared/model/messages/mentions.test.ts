import { expect, it } from 'vitest'
import { mentionsIn } from './mentions.ts'

const named = (text: string) => mentionsIn(text).map(({ kind, name }) => [kind, name].filter(Boolean).join(' '))

it('finds what a message names with @, without the punctuation after it', () => {
  expect(named('Compare @branch:euros, @agent:docs and (@src/api/) with @memories/rules/style.md. @diff!')).toEqual([
    'branch euros',
    'agent docs',
    'folder src/api/',
    'memory rules/style.md',
    'diff',
  ])
})

it('takes a handle for a branch, and names each thing once', () => {
  expect(named('@subagent_0 @subagent_0')).toEqual(['branch subagent_0'])
})

it('takes a server with an address for a resource', () => {
  expect(named('See @docs:file:///a/b.md, @github:issue://12 and @branch:x:y:z (not @a:b or @c:/d).')).toEqual([
    'resource docs:file:///a/b.md',
    'resource github:issue://12',
    'branch x:y:z',
  ])
})

it('leaves files, types of agents and addresses alone', () => {
  expect(named('@src/a.ts @general-purpose me@example.com/ @branch: @')).toEqual([])
})
