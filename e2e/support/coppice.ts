import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
const nodeName = process.platform === 'win32' ? 'node.exe' : 'node'
/** The built app under test: that of this checkout, or the files of a packaged app, which has a Node of its own. */
export const appRoot = process.env.COPPICE_APP_ROOT ?? root
const ownNode = appRoot === root ? join(root, 'node_modules/node/bin', nodeName) : join(appRoot, '../..', nodeName)
/** Its Node. Where npm has none for this system, it is the one that runs the tests. */
export const node = existsSync(ownNode) ? ownNode : process.execPath

export interface RunResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as JSON lines, with `--json`. */
  readonly events: readonly RunEvent[]
}
export type RunEvent = { readonly type: string; readonly threadId?: string } & Readonly<Record<string, unknown>>

/** A clean environment. None of the machine's own keys or settings reaches the app under test. */
export function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, SystemRoot, APPDATA, LOCALAPPDATA } = process.env
  return { PATH, HOME, TMPDIR, LANG, SystemRoot, APPDATA, LOCALAPPDATA, ...extra }
}

/** @param build the checkout whose built app runs */
export function startCoppice(
  args: readonly string[],
  extra: Readonly<Record<string, string>>,
  cwd = root,
  build = appRoot,
): ChildProcess {
  return spawn(node, [join(build, 'bin/coppice.mjs'), ...args], {
    cwd,
    env: environment(extra),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs a command line to its end. `during` may read the growing output and kill the process. */
export async function coppice(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  options: {
    readonly cwd?: string
    readonly input?: string
    readonly during?: (child: ChildProcess, stdout: string) => void
  } = {},
): Promise<RunResult> {
  const child = startCoppice(args, extra, options.cwd)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    options.during?.(child, stdout)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin?.end(options.input ?? '')
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr, events: args.includes('--json') ? eventsIn(stdout) : [] }
}

export function eventsIn(stdout: string): readonly RunEvent[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as RunEvent)
}
