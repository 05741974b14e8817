import { randomUUID } from 'node:crypto'
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { terminal } from '../screen/terminal.ts'

/** The text as a person left it in their editor, or why that went wrong. */
export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

const isWindows = process.platform === 'win32'

/** Opens a text in `$VISUAL` or `$EDITOR` and waits for its end. `ending` is that of the file: `.json`. */
export async function editText(text: string, ending: string, environment: NodeJS.ProcessEnv): Promise<Edited> {
  const editor = environment.VISUAL || environment.EDITOR || (isWindows ? 'notepad' : 'vi')
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
async function runEditor(editor: string, file: string): Promise<string | null> {
  const quoted = isWindows ? `"${file}"` : `'${file.replaceAll("'", `'\\''`)}'`
  const end = await terminal().show({ line: `${editor} ${quoted}`, environment: {} })
  if ('code' in end && end.code === 0) return null
  const how = 'code' in end ? `ended with exit code ${end.code}` : `ended with ${end.why}`
  return `The editor ${editor} ${how}. Set $EDITOR to another.`
}
