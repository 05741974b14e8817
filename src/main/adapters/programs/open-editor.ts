import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { findProgram } from '../system/system-programs.ts'

/** Says in a sentence for a person why no editor opened, and what to do. */
export class EditorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EditorError'
  }
}

export interface EditorRequest {
  /** The user's setting: a program and its arguments. Null looks for a known editor. */
  readonly wanted: readonly string[] | null
  /** Absolute path of the file. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** The project's folder. A program in it is never started. */
  readonly rootFolder: string
  /** The user's own `PATH`. */
  readonly path: string
}

/** Editors with a window of their own, and how each is told a line. Checked in this order. */
const known: readonly (readonly [program: string, ...parameters: readonly string[]])[] = [
  ['code', '--goto', '{path}:{line}'],
  ['cursor', '--goto', '{path}:{line}'],
  ['windsurf', '--goto', '{path}:{line}'],
  ['codium', '--goto', '{path}:{line}'],
  ['zed', '{path}:{line}'],
  ['subl', '{path}:{line}'],
  ['idea', '--line', '{line}', '{path}'],
  ['webstorm', '--line', '{line}', '{path}'],
  ['pycharm', '--line', '{line}', '{path}'],
  ['rustrover', '--line', '{line}', '{path}'],
  ['goland', '--line', '{line}', '{path}'],
  ['gvim', '+{line}', '{path}'],
  ['kate', '--line', '{line}', '{path}'],
  ['gedit', '+{line}', '{path}'],
]

/** What makes an editor come back only when its window is closed. One that is missing here comes back at once. */
const waiting: Readonly<Record<string, readonly string[]>> = {
  ...{ code: ['--new-window', '--wait'], cursor: ['--new-window', '--wait'], windsurf: ['--new-window', '--wait'] },
  ...{ codium: ['--new-window', '--wait'], zed: ['--new', '--wait'], subl: ['--new-window', '--wait'] },
  ...{ gvim: ['-f'], kate: ['--block'], gedit: ['--wait'] },
}

export interface FolderEditorRequest extends Pick<EditorRequest, 'wanted' | 'rootFolder' | 'path'> {
  /** Absolute path of the folder to open. */
  readonly folder: string
  /** The name of a known editor, or of a program. Null for the one of the settings, or a known one. */
  readonly editor: string | null
  /** What to open it with when no other editor is found: a command line for a shell, of an editor in a terminal. */
  readonly inTerminal: string | null
}

/** How a folder is opened. */
export interface FolderEditor {
  readonly line: readonly string[]
  /** Whether the program ends only when the person has finished. */
  readonly waits: boolean
}

/** Where editors put what starts them, where that is not on everybody's `PATH`. */
function usualFolders(): readonly string[] {
  const home = homedir()
  const toolbox = { darwin: 'Library/Application Support/JetBrains/Toolbox/scripts' }[process.platform as 'darwin']
  const apps = ['Visual Studio Code', 'Cursor', 'Windsurf', 'VSCodium'].map(
    (name) => `/Applications/${name}.app/Contents/Resources/app/bin`,
  )
  return [
    ...['/usr/local/bin', '/opt/homebrew/bin', '/snap/bin', '/var/lib/flatpak/exports/bin', join(home, '.local/bin')],
    ...[
      join(home, toolbox ?? '.local/share/JetBrains/Toolbox/scripts'),
      '/Applications/Zed.app/Contents/MacOS',
      ...apps,
    ],
  ]
}

/** Finds the person's editor for a folder. Throws `EditorError`. */
export function editorOfFolder(request: FolderEditorRequest): FolderEditor | { readonly shellLine: string } {
  const { wanted, editor, folder, rootFolder, inTerminal } = request
  const path = [request.path, ...usualFolders()].join(delimiter)
  const find = (program: string) => findProgram(program, { outside: rootFolder, path })
  if (editor === null && wanted !== null)
    return withFolder(requireProgram(wanted[0] ?? '', find), wanted.slice(1), folder)
  const chosen = editor ?? known.find(([program]) => find(program))?.[0]
  if (chosen !== undefined) return withFolder(requireProgram(chosen, find), [], folder)
  if (inTerminal === null) throw new EditorError(`No editor was found on this machine. ${howToSet}`)
  return { shellLine: inTerminal }
}

function requireProgram(name: string, find: (program: string) => string | undefined): string {
  const program = find(name)
  if (program === undefined) throw new EditorError(`The editor "${name}" was not found. ${howToSet}`)
  return program
}

/** The parameters of the settings are about a file and its line. */
function withFolder(program: string, parameters: readonly string[], folder: string): FolderEditor {
  const waits = waiting[basename(program).replace(/\.exe$/i, '')]
  const kept = parameters.filter((one) => !/\{(path|line)\}|^(--goto|--line|-g|-l)$/.test(one))
  return { line: [program, ...kept, ...(waits ?? []), folder], waits: waits !== undefined }
}

/** Starts the person's editor with a folder. It stays open when the app ends. Throws `EditorError`. */
export async function openFolderInEditor(request: Omit<FolderEditorRequest, 'inTerminal'>): Promise<void> {
  const found = editorOfFolder({ ...request, inTerminal: null })
  if (!('line' in found)) return
  const [program = '', ...parameters] = found.line
  await start(program, parameters)
}

/** Milliseconds in which an editor that cannot start has failed. */
const startMs = 1_500

const howToSet = 'Name one under "editor" in the settings, such as ["code", "--goto", "{path}:{line}"].'

/** Starts the user's editor with a file. It stays open when the app ends. Throws `EditorError`. */
export async function openEditor({ wanted, file, line, rootFolder, path }: EditorRequest): Promise<void> {
  const find = (program: string) => findProgram(program, { outside: rootFolder, path })
  const [chosen, ...parameters] = wanted ?? known.find(([program]) => find(program)) ?? []
  if (chosen === undefined) throw new EditorError(`No editor was found on this machine. ${howToSet}`)
  const program = find(chosen)
  if (program === undefined) throw new EditorError(`The editor "${chosen}" was not found. ${howToSet}`)
  const fill = (text: string) => text.replaceAll('{path}', file).replaceAll('{line}', String(line))
  const filled = parameters.map(fill)
  await start(program, parameters.some((one) => one.includes('{path}')) ? filled : [...filled, file])
}

/** Resolves when the program runs or ended well. */
function start(program: string, parameters: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...parameters], { detached: true, stdio: 'ignore' })
    const running = setTimeout(resolve, startMs)
    const fail = (why: string) => {
      clearTimeout(running)
      reject(new EditorError(`The editor ${program} ${why}. ${howToSet}`))
    }
    child.on('error', (error) => fail(`could not be started: ${error.message}`))
    child.on('exit', (code) => {
      if (code !== 0) return fail(code === null ? 'was ended at once' : `ended at once with code ${code}`)
      clearTimeout(running)
      resolve()
    })
    child.unref()
  })
}
