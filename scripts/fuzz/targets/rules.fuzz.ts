import { deadRules, matchRules, noRules, parseRule } from '../../../src/main/core/approval/rules.ts'
import { parseVirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { accessOf, findToolFacts } from '../../../src/shared/tools/tool-facts.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const strictness = ['deny', 'ask', undefined, 'allow']

/** Rules on the first lines, a command or a path on the last. */
export const rules: FuzzTarget = {
  name: 'rules',
  seeds: [
    'Bash(npm run *)\nnpm run test',
    'execute(git push:*)\ngit push --force',
    'Read(**/*.env)\n/config/.env',
    'Edit(src/{a,b}/**)\nWrite(/src/@(a|b)/*)\n/src/a/c',
    '*(/secret/**)\n/secret',
    'mcp__*\nread_file\n/a',
    `Bash(${'*a'.repeat(20)}b)\n${'a'.repeat(200)}`,
    `read_file(${'{a,b}*'.repeat(20)})\n/${'ab'.repeat(100)}`,
    'Read([!a-z[:digit:]]?)\n/A1',
    'Read(!(a))\n/b',
  ],
  run(input) {
    const lines = input.toString().split('\n')
    const subject = lines.at(-1) ?? ''
    const given = lines.slice(0, -1).slice(0, 8)
    const path = parseVirtualPath(subject)
    const calls = [
      { tool: 'execute', args: { command: subject } },
      ...(path.ok ? [{ tool: 'read_file', args: { file_path: path.value } }] : []),
    ]
    for (const { tool: name, args } of calls) {
      const tool = findToolFacts(name)
      const about = { tool, access: accessOf(tool.access, args) }
      const rank = (all: typeof noRules): number => strictness.indexOf(matchRules(all, about)?.effect)
      const allowed = { ...noRules, allow: [name] }
      requireLaw(rank({ ...allowed, deny: given }) <= rank(allowed), 'a restriction never allows more')
      requireLaw(rank({ ...noRules, allow: given }) >= rank(noRules), 'a permission never allows less')
    }
    for (const { because } of deadRules({ deny: given, ask: [], allow: given }))
      requireLaw(because === null || parseRule(because) !== undefined, 'a rule is covered by a rule')
  },
}
