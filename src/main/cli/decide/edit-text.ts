import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The text as a person left it in their editor, or why that went wrong. */
export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

/** Opens a text in `$VISUAL` or `$EDITOR` and waits for its end. `ending` is that of the file: `.json`. */
export async function editText(text: string, ending: string, environment: NodeJS.ProcessEnv): Promise<Edited> {
  const editor = environment.VISUAL || environment.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi')
  const file = join(tmpdir(), `coppice-edit-${randomUUID()}${ending}`)
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  try {
    const problem = await runEditor(editor, file)
    return problem === null ? { ok: true, text: readFileSync(file, 'utf8') } : { ok: false, why: problem }
  } finally {
    unlinkSync(file)
  }
}

/** The editor may have arguments of its own, as in `code --wait`, so a shell reads it. */
function runEditor(editor: string, file: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, editor, file], { stdio: 'inherit' })
    child.on('error', (error) => resolve(`The editor ${editor} cannot start: ${error.message}.`))
    child.on('exit', (code, signal) =>
      resolve(
        code === 0 ? null : `The editor ${editor} ended with ${signal ?? `exit code ${code}`}. Set $EDITOR to another.`,
      ),
    )
  })
}
