import { readFileSync } from 'node:fs'
import { matchRules, noRules } from '../../../src/main/core/approval/rules.ts'
import { plainCommands } from '../../../src/main/core/approval/shell-line.ts'
import { accessOf, findToolFacts } from '../../../src/shared/tools/tool-facts.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const corpus = new URL('../../../src/main/core/approval/deny-lines.txt', import.meta.url)

const tool = findToolFacts('execute')

function decided(command: string, deny: string): string | undefined {
  const rules = { ...noRules, deny: [deny], allow: ['execute'] }
  return matchRules(rules, { tool, access: accessOf(tool.access, { command }) })?.effect
}

/** A line of plain commands names each of them to a rule that denies. */
export const shellLines: FuzzTarget = {
  name: 'shell-lines',
  seeds: readFileSync(corpus, 'utf8').replaceAll('⏎', '\n').split('\n'),
  run(input) {
    const line = input.toString()
    requireLaw(decided(line, 'execute(rm *)') !== undefined, 'a line is allowed, asked about or denied')
    for (const [name = ''] of plainCommands(line)?.slice(0, 3) ?? []) {
      // In a pattern, a star and white space have a meaning of their own, and so has `:*` at its end.
      if (/[*\s]|^$|:$/.test(name)) continue
      requireLaw(decided(line, `execute(${name} *)`) === 'deny', `a plain command is denied by its name: ${name}`)
    }
  },
}
