import { describe, expect, it } from 'vitest'
import type { Handle } from '#shared/model/ids.ts'
import { type Named, suggestionsFor } from './suggestions.ts'

const named: Named = {
  agents: [
    { agent: 'main', agentType: 'general-purpose' },
    { agent: 'docs', agentType: 'writer' },
  ],
  branches: [
    { handle: null, name: 'workspace' },
    { handle: 'subagent_0' as Handle, name: 'euros' },
  ],
  memories: ['style.md', '/rules/naming.md'],
}
const suggest = (query: string, ...paths: string[]) =>
  suggestionsFor(query, paths, named).map(({ kind, name, detail }) => [kind, name, detail].filter(Boolean).join(' '))

describe('what @ can name', () => {
  it('includes the found files, and folders whose own name matches', () => {
    expect(suggest('rout', '/src/routes/index.ts', '/src/routes/deep/a.ts', '/src/router.ts')).toEqual([
      'folder src/routes/',
      'file src/routes/index.ts',
      'file src/routes/deep/a.ts',
      'file src/router.ts',
    ])
  })
  it('includes branches by handle or name, agents by type, memories by path', () => {
    expect(suggest('euro')).toEqual(['branch subagent_0 euros'])
    expect(suggest('writ')).toEqual(['agent writer'])
    expect(suggest('memories/')).toEqual(['memory memories/style.md', 'memory memories/rules/naming.md'])
  })
  it('includes no folder before something is typed', () => {
    expect(suggest('', '/src/a.ts').filter((line) => line.startsWith('folder'))).toEqual([])
  })
})
