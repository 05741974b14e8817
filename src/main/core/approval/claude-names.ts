/** Claude Code's names of tools, so that its rules can be pasted and its agents' files read. */
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
