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

it('leaves files, types of agents and addresses alone', () => {
  expect(named('@src/a.ts @general-purpose me@example.com/ @branch: @')).toEqual([])
})
