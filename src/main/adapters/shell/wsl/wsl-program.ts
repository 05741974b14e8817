import { execFile } from 'node:child_process'

/** The Linux of a Windows machine, as `wsl.exe` reaches it. */
export interface Wsl {
  /** What starts a program in it. */
  readonly start: readonly string[]
  /** The output of a program in it. Null when it fails or takes too long. `input` goes to its standard input. */
  run(program: readonly string[], input?: string): Promise<string | null>
  /**
   * Where Linux finds a file of Windows, such as `/mnt/c/Users` for `C:\Users`. A path of Linux stays. Null for a path on no
   * drive, or on one that Linux does not have.
   */
  pathOf(file: string): Promise<string | null>
}

const onDrive = /^([A-Za-z]):[\\/]*(.*)$/s

/** `program` is the path of `wsl.exe`. */
export function createWsl(program: string): Wsl {
  const start = [program, '--exec']
  const drives = new Map<string, Promise<string | null>>()
  const run: Wsl['run'] = ([file = '', ...parameters], input = '') =>
    new Promise((resolve) => {
      // Without the variable, messages of wsl.exe itself are UTF-16.
      const env = { ...process.env, WSL_UTF8: '1' }
      const child = execFile(
        program,
        ['--exec', file, ...parameters],
        { timeout: 20_000, env, windowsHide: true },
        (error, output) => resolve(error ? null : output),
      )
      child.stdin?.on('error', () => undefined).end(input)
    })
  return {
    start,
    run,
    async pathOf(file) {
      if (file.startsWith('/')) return file
      const [, drive, rest = ''] = onDrive.exec(file) ?? []
      if (drive === undefined) return null
      const letter = drive.toUpperCase()
      const asked = drives.get(letter) ?? run(['wslpath', '-u', `${letter}:\\`])
      drives.set(letter, asked)
      const root = (await asked)?.trim().replace(/\/$/, '')
      return root ? [root, ...rest.split(/[\\/]+/).filter(Boolean)].join('/') : null
    },
  }
}

/** Variables for `wsl.exe`. It passes on what `WSLENV` names. Each system keeps its own PATH. */
export function carryVariables(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const passed = Object.keys(variables).filter((name) => name !== 'PATH' && name !== 'SystemRoot')
  return { ...variables, WSLENV: passed.join(':'), WSL_UTF8: '1' }
}
