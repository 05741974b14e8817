import { execFile } from 'node:child_process'

export interface LoginShell {
  /** Path of the person's shell. */
  readonly shell: string
  readonly environment: NodeJS.ProcessEnv
  /** Milliseconds, after which the shell is given up. Its start-up files may ask a question that nobody sees. */
  readonly patience: number
}

/** Around the answer, because start-up files may print something too. */
const mark = '__COPPICE_PATH__'

/**
 * The PATH that the person has in a terminal. An app that was started from a dock or a menu has only the system's, without
 * Homebrew, nvm and their like. Null when the shell does not say it.
 */
export function readLoginPath({ shell, environment, patience }: LoginShell): Promise<string | null> {
  const question = `printf '%s%s%s' ${mark} "$PATH" ${mark}`
  return new Promise((resolve) => {
    const child = execFile(
      shell,
      ['-i', '-l', '-c', question],
      { env: environment, timeout: patience, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 },
      (_error, output) => resolve(findAnswer(output)),
    )
    child.stdin?.end()
  })
}

function findAnswer(output: string): string | null {
  const [, answer = ''] = output.split(mark)
  return answer.startsWith('/') ? answer : null
}

/** The person's entries first, then what only the app has. */
export function joinPaths(ofPerson: string | null, ofApp: string): string {
  const entries = [...(ofPerson ?? '').split(':'), ...ofApp.split(':')].filter(Boolean)
  return [...new Set(entries)].join(':')
}

/** True for an app that no terminal started, on a system where that changes PATH. */
export function needsLoginPath(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): boolean {
  return platform !== 'win32' && environment.TERM === undefined
}
