import { describe, expect, it } from 'vitest'
import type { SlashView } from '#shared/contract/views/extensions.ts'
import type { Handle } from '#shared/model/ids.ts'
import type { ParentLink, ThreadState } from '#shared/model/thread.ts'
import { type Named, slashSuggestions, stillFitting, suggestionsFor } from './suggestions.ts'

const agent = (name: string, agentType: string, handle: string | null = null): Named['agents'][number] => ({
  agent: name,
  agentType,
  title: `Task of ${name}`,
  status: 'done' as ThreadState['status'],
  parent: handle === null ? null : ({ handle: handle as Handle } as ParentLink),
})

const named: Named = {
  agents: [
    agent('main', 'general-purpose'),
    agent('docs', 'writer', 'subagent_1'),
    agent('twin', 'writer', 'subagent_2'),
    agent('twin', 'writer', 'subagent_3'),
  ],
  branches: [
    { handle: null, name: 'workspace' },
    { handle: 'subagent_0' as Handle, name: 'euros' },
    { handle: 'subagent_4' as Handle, name: 'two words' },
  ],
  memories: ['style.md', '/rules/naming.md'],
  resources: [],
  changed: true,
}
const suggest = (query: string, ...paths: string[]) =>
  suggestionsFor(query, paths, named).map(({ kind, inserted }) => `${kind} ${inserted}`)

describe('what @ can name', () => {
  it('includes resources of servers, by their server and address', () => {
    const guide = { server: 'docs', uri: 'docs://guide', name: 'The guide', description: 'How to.' }
    expect(suggestionsFor('docs', [], { ...named, resources: [guide] })).toMatchObject([
      {},
      { kind: 'resource', inserted: 'docs:docs://guide', detail: 'The guide · How to.' },
    ])
  })

  it('includes the found files, and folders whose own name matches', () => {
    expect(suggest('rout', '/src/routes/index.ts', '/src/routes/deep/a.ts', '/src/router.ts')).toEqual([
      'folder src/routes/',
      'file src/routes/index.ts',
      'file src/routes/deep/a.ts',
      'file src/router.ts',
    ])
  })
  it('includes branches and agents by name, types, memories by path, and the diff', () => {
    expect(suggest('euro')).toEqual(['branch branch:euros'])
    expect(suggest('docs')).toEqual(['agent agent:docs'])
    expect(suggest('writ')).toEqual(['type writer'])
    expect(suggest('memories/')).toEqual(['memory memories/style.md', 'memory memories/rules/naming.md'])
    expect(suggest('dif')).toEqual(['diff diff'])
    expect(suggestionsFor('dif', [], { ...named, changed: false })).toEqual([])
  })
  it('inserts the handle where a name has spaces or several agents have it', () => {
    expect(suggest('branch:')).toEqual(['branch branch:euros', 'branch branch:subagent_4'])
    expect(suggest('twin')).toEqual(['agent agent:subagent_2', 'agent agent:subagent_3'])
  })
  it('includes no folder before something is typed', () => {
    expect(suggest('', '/src/a.ts').filter((line) => line.startsWith('folder'))).toEqual([])
  })
})

describe('files of an earlier query', () => {
  it('stay only while they fit what is typed now', () => {
    const found = ['/AGENTS.md', '/src/Agent.ts']
    expect(stillFitting(found, 'agent')).toEqual(found)
    expect(stillFitting(found, 'agent.')).toEqual(found)
    expect(stillFitting(found, 'sragent')).toEqual(['/src/Agent.ts'])
    expect(stillFitting(found, 'agent:')).toEqual([])
  })
})

describe('what / can run', () => {
  const entry = (kind: SlashView['kind'], word: string): SlashView => ({
    ...{ kind, word, description: `How to ${word}`, hint: '[file]', source: `/${kind}/${word}` },
    ...{ allowedTools: null, model: null, effort: null },
  })
  it('includes commands of the window, and then each kind, with one line and the source of each', () => {
    const entries = [
      entry('prompt', 'mcp__a__re'),
      entry('skill', 'Code-review'),
      entry('skill', 'release'),
      entry('command', 're:a'),
    ]
    const found = slashSuggestions('re', entries)
    expect(found.map(({ kind, inserted, source }) => [kind, inserted, source].filter(Boolean).join(' '))).toEqual([
      'window rewind',
      'slash-command re:a /command/re:a',
      'slash-skill release /skill/release',
      'slash-skill Code-review /skill/Code-review',
      'slash-prompt mcp__a__re /prompt/mcp__a__re',
    ])
    expect(found.every(({ detail }) => detail !== '')).toBe(true)
    expect(slashSuggestions('re', entries, false)).toHaveLength(4)
  })
  it('stays a list that somebody can read when there are hundreds', () => {
    const many = Array.from({ length: 500 }, (_, index) => entry('command', `c${index}`))
    expect(slashSuggestions('', many, false)).toHaveLength(50)
    expect(slashSuggestions('c499', many, false).map(({ name }) => name)).toEqual(['c499'])
  })
})
