import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentsIn } from './agents.ts'
import { findKnownAgents, proposedDefinition } from './known-agents.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-known-'))
const project = join(folder, 'project')
for (const place of ['bin', 'project'])
  for (const name of place === 'bin' ? ['codex-acp'] : ['gemini']) {
    mkdirSync(join(folder, place), { recursive: true })
    writeFileSync(join(folder, place, name), '#!/bin/sh\n')
    chmodSync(join(folder, place, name), 0o755)
  }

it('finds what PATH has, and nothing that an agent left in the project', () => {
  const found = findKnownAgents(`${join(folder, 'bin')}:${project}`, project, (name) => name === 'claude')
  expect(found.filter(({ program }) => program !== null).map(({ name }) => name)).toEqual(['codex'])
  expect(found.filter(({ isDefined }) => isDefined).map(({ name }) => name)).toEqual(['claude'])
})

it('proposes definitions that can be read, with what each opens', () => {
  const names = findKnownAgents('', folder, () => false).map(({ name }) => name)
  const { agents, problems } = agentsIn(names.map(proposedDefinition), 'settings.json')
  expect(problems).toEqual([])
  expect(agents.map(({ program }) => program?.kind)).toEqual(names.map(() => 'acp'))
  expect(proposedDefinition('nobody')).toBeUndefined()
})
