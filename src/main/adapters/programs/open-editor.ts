import { spawn } from 'node:child_process'
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
