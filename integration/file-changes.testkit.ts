import type { Call } from '../e2e/model-server/scenario.ts'

export const js = (code: string): Call => ({ name: 'run_js_code', id: 'c', input: { code } })
const python = (code: string): Call => ({ name: 'run_python_code', id: 'c', input: { code } })
export const execute = (command: string): Call => ({ name: 'execute', id: 'c', input: { command } })
export const call = (name: string, input: object): Call => ({ name, id: 'c', input })

/** The project that the changes are about. */
export const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'edit.js': "await fs.write('/a.txt', 'changed')" }

/** Every way in which an agent can change a file that exists. */
export const changes: Readonly<Record<string, Call>> = {
  edit_file: call('edit_file', { file_path: '/a.txt', old_string: 'one', new_string: 'changed' }),
  multi_edit: call('multi_edit', { file_path: '/a.txt', edits: [{ old_string: 'one', new_string: 'changed' }] }),
  'write_file over a file': call('write_file', { file_path: '/a.txt', content: 'changed' }),
  delete: call('delete', { path: '/a.txt' }),
  'delete of its folder': call('delete', { path: '/src' }),
  move: call('move', { from: '/a.txt', to: '/moved.txt' }),
  'move over it': call('move', { from: '/b.txt', to: '/a.txt' }),
  'fs.write': js("await fs.write('/a.txt', 'changed')"),
  'fs.delete': js("await fs.delete('/a.txt')"),
  'a script of the branch': call('run_js_file', { file_path: '/edit.js' }),
  'Python that writes': python("import pathlib\npathlib.Path('/a.txt').write_text('changed')"),
  'Python that deletes': python("import pathlib\npathlib.Path('/a.txt').unlink()"),
  'Python that renames': python("import pathlib\npathlib.Path('/a.txt').rename('/c.txt')"),
  'a command that writes': execute('echo changed > a.txt'),
  'a command that deletes': execute('rm a.txt'),
  'a command that moves': execute('mv a.txt c.txt'),
  'a command with a script': execute('bash -c "echo changed > a.txt"'),
}
