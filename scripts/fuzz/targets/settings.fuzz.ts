import { checkSettings } from '../../../src/main/adapters/settings/settings-check.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

export const settings: FuzzTarget = {
  name: 'settings',
  seeds: [
    '{}',
    '{ "model": "a", // comment\n "permissions": {"deny": ["Bash(rm *)"], "ask": [], "allow": ["Read"]}, }',
    '{"interrupt_on": {"execute": true, "edit_file": {"allowed_decisions": ["approve"], "when": ["/src/**"]}}}',
    '{"middleware": [{"name": "x", "command": "y"}], "routes": {"/a/": {"kind": "folder", "path": "/b"}}}',
    '{"mcp_servers": {"a": {"command": "b", "args": ["c"], "env": {"D": "e"}}}, "unknown": [1, 2.5e3, null, "\\u0041"]}',
    '[[[[{"a":[{}]}]]]]',
  ],
  run(input) {
    const { settings: read, problems } = checkSettings(input.toString())
    requireLaw(typeof read === 'object', 'settings are an object')
    for (const { message, line } of problems)
      requireLaw(message !== '' && (line === null || line > 0), 'a problem has a message and a line')
  },
}
