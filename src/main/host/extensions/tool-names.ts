/** Claude Code's names of tools, as its agents' files list them. */
const own: ReadonlyMap<string, string> = new Map([
  ['Read', 'read_file'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'multi_edit'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['LS', 'ls'],
  ['Bash', 'execute'],
  ['Task', 'task'],
  ['TodoWrite', 'write_todos'],
  ['TodoRead', 'read_todos'],
])

export function ownToolName(name: string): string {
  return own.get(name) ?? name
}
