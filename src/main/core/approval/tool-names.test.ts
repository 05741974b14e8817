import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { settingProblems } from './interrupt-settings.ts'
import { type KnownServerTools, resolveToolName } from './tool-names.ts'

const known: KnownServerTools = {
  tools: [
    { name: 'mcp__github__get_issue', serverTool: 'get_issue' },
    { name: 'mcp__github__search', serverTool: 'search' },
    { name: 'mcp__web__search', serverTool: 'search' },
  ],
  prefixes: ['mcp__github__', 'mcp__web__', 'mcp__away__'],
}
const resolve = (given: string): string => {
  const found = resolveToolName(given, known)
  return found.ok ? found.name : found.problem
}

describe('a name in a setting', () => {
  it.each([
    ['delete_file', 'delete'],
    ['write_file', 'write_file'],
    ['Write', 'write_file'],
    ['MultiEdit', 'multi_edit'],
    ['Bash', 'execute'],
    ['Task', 'task'],
    ['TodoWrite', 'write_todos'],
    ['ls', 'ls'],
    ['get_issue', 'mcp__github__get_issue'],
    ['mcp__web__search', 'mcp__web__search'],
    ['mcp__away__anything', 'mcp__away__anything'],
    ['mcp__*', 'mcp__*'],
    ['mcp__github__*', 'mcp__github__*'],
    ['run_*', 'run_*'],
  ])('%s means %s', (given, name) => {
    expect(resolve(given)).toBe(name)
  })

  it.each([
    ['wrte_file', 'There is no tool "wrte_file". Did you mean write_file?'],
    ['get_isue', 'Did you mean get_issue?'],
    ['mcp__github__nope', 'There is no tool "mcp__github__nope".'],
    ['mcp__github__nope*', 'There is no tool "mcp__github__nope*".'],
    [`${'*a'.repeat(60)}b`, 'There is no tool'],
    ['mcp__githb__*', 'There is no tool "mcp__githb__*".'],
    ['search', 'is a tool of several servers. Write the full name: mcp__github__search, mcp__web__search.'],
    ['', 'There is no tool "".'],
    ['constructor', 'There is no tool "constructor".'],
    ['__proto__', 'There is no tool "__proto__".'],
    [' edit_file', 'There is no tool " edit_file".'],
  ])('%j is refused in words', (given, problem) => {
    expect(resolve(given)).toContain(problem)
  })

  it('either means a tool or is a problem, whatever it is', () => {
    const names = [...Object.keys(toolFacts), 'Write', 'delete_file', 'get_issue', 'mcp__*']
    const changed = fc
      .tuple(fc.constantFrom(...names), fc.nat(30), fc.string({ maxLength: 3 }))
      .map(([name, at, text]) => `${name.slice(0, at)}${text}${name.slice(at + 1)}`)
    const tools = new Set([...Object.keys(toolFacts), ...known.tools.map(({ name }) => name)])
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), changed), (given) => {
        const found = resolveToolName(given, known)
        expect(settingProblems(new Map([[given, true]]), known)).toHaveLength(found.ok ? 0 : 1)
        if (!found.ok) return
        const means = tools.has(found.name) || found.name.startsWith('mcp__away__') || found.name.includes('*')
        expect(means, JSON.stringify(given)).toBe(true)
      }),
      { numRuns: 800 },
    )
  })
})
