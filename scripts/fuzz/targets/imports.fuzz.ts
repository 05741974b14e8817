import type { Place } from '../../../src/main/host/imports/place.ts'
import { claudeInFolder, claudeInHome } from '../../../src/main/host/imports/read-claude.ts'
import { codexInFolder, codexInHome } from '../../../src/main/host/imports/read-codex.ts'
import { cursorInFolder, cursorInHome } from '../../../src/main/host/imports/read-cursor.ts'
import { openCodeInFolder, openCodeInHome } from '../../../src/main/host/imports/read-opencode.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const agentKeys: ReadonlySet<string> = new Set([
  ...['name', 'description', 'prompt', 'tools', 'disallowedTools', 'model', 'effort', 'temperature', 'top_p'],
  ...['permissionMode', 'interrupt_on'],
])

/** Definitions of other tools: whatever they hold, nothing of it leads elsewhere or lifts a question. */
export const imports: FuzzTarget = {
  name: 'imports',
  seeds: [
    '{"mcpServers": {"a": {"command": "b", "args": ["--key", "c"], "env": {"D": "e"}, "type": "stdio"}}, "projects": {"/app": {"mcpServers": {"e": {"url": "https://f.example", "headers": {"G": "h"}}}}}}',
    '{"mcp": {"servers": {"a": {"type": "local", "command": ["b", "{env:C}"]}}}, "agent": {"d": {"description": "e", "prompt": "f", "tools": {"bash": false}, "permission": {"edit": {"*": "ask"}}}}, "command": {"g/h": {"template": "$1"}}, "permission": {"bash": {"*": "ask", "git *": "deny"}}, "permissions": [{"action": "shell", "resource": "x *", "effect": "deny"}]}',
    '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}]}]}, "permissions": {"deny": ["Shell(rm)", "Read(a/**)"], "allow": ["Shell(ls)"]}}',
    '[mcp_servers.a]\ncommand = "b"\nenv_vars = ["C"]\nbearer_token_env_var = "D"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "e"\n',
    'name = "a"\ndescription = "b"\ndeveloper_instructions = "c"\nsandbox_mode = "read-only"\n',
    '---\nname: a\ndescription: b\ntools: Read, Grep\nreadonly: true\npermission: { bash: ask }\ninterrupt_on: { execute: false }\nglobs: "**/*.ts"\n---\nDo $1 and @b.\n',
  ],
  async run(input) {
    const text = input.toString()
    for (const scope of ['home', 'folder'] as const) {
      const place = placeOf(scope, text)
      const drafts =
        scope === 'home'
          ? [
              claudeInHome(place, '/app', place),
              codexInHome(place, never),
              cursorInHome(place, never),
              openCodeInHome(place, never),
            ]
          : [claudeInFolder(place), codexInFolder(place), cursorInFolder(place), openCodeInFolder(place)]
      for (const { becomes, notes } of (await Promise.all(drafts)).flat()) {
        if (becomes.to === 'nothing')
          requireLaw(becomes.state === 'read_here' || notes.length > 0, 'what is left out says why')
        if (becomes.to === 'hook') requireLaw(scope === 'home', 'a hook of a folder is not taken')
        if (becomes.to === 'agent')
          requireLaw(
            Object.keys(becomes.value).every((key) => agentKeys.has(key)),
            'an agent gets no other key',
          )
        if (becomes.to === 'agent' && 'interrupt_on' in becomes.value)
          requireLaw(
            Object.values(Object(becomes.value.interrupt_on)).every((asks) => asks === true),
            'no question is lifted',
          )
        if (becomes.to === 'files')
          for (const { path } of becomes.files)
            requireLaw(
              /^(?:commands|skills)\/[^/]/.test(path) && !/(?:^|\/)\.|\0/.test(path),
              'a file stays in its folder',
            )
      }
    }
  },
}

const never = (): boolean => false

/** A place in which every file holds the same text. */
function placeOf(scope: Place['scope'], text: string): Place {
  return {
    scope,
    label: (path) => path,
    say: () => undefined,
    leadsTo: async (path) => path,
    read: async () => text,
    list: async (path) =>
      path.endsWith('/d')
        ? ['SKILL.md', 'a.md', 'b.mdc', 'c.toml'].map((name) => ({ name, kind: 'file' as const }))
        : [
            ...['a.md', 'b.mdc', 'c.toml', 'e.rules'].map((name) => ({ name, kind: 'file' as const })),
            { name: 'd', kind: 'folder' as const },
          ],
  }
}
