import type { Tree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import { BranchMountError } from '../../ports/branch-mounts.ts'
import { type HookEnd, mostHookOutput } from '../../ports/programs/hook-programs.ts'
import { ShellError, type ShellOutcome } from '../../ports/shell.ts'
import { openTrial, type TrialRequest } from '../../trial/open-trial.ts'
import type { Hook } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'
import type { HookPlace } from './hook-stage.ts'

/**
 * A hook of a project runs in the sandbox, in a view that nobody keeps. Only the sandbox knows where it finds the project, so
 * messages name the folder by a word that is replaced there, and the first line of the output says what it stood for.
 */
export function runInTrial(
  services: AgentServices,
  session: (folder: string) => JsonObject,
  request: (tree: Tree | undefined) => TrialRequest,
): Pick<HookPlace, 'session' | 'folders' | 'run'> {
  const mark = `coppice-project-${services.ids.next()}`
  return {
    session: session(mark),
    folders: { folder: mark, others: [] },
    async run(hook, message, { about }, signal) {
      // Without a sandbox, it would be the code of a project that runs as the person.
      if (services.shell.sandbox().state !== 'on')
        return noAnswer('It did not run, because there is no sandbox for it here.')
      try {
        await using trial = await openTrial(services, request(about?.tree), signal)
        return await runIn(services, trial.view, { hook, message, mark }, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof BranchMountError) && !(error instanceof ShellError)) throw error
        return noAnswer(`It could not be run: ${error.message}`)
      }
    },
  }
}

interface TrialHook {
  readonly hook: Hook
  readonly message: JsonObject
  readonly mark: string
}

async function runIn(
  { shell, ids }: Pick<AgentServices, 'shell' | 'ids'>,
  mount: Parameters<typeof shell.execute>[0]['mount'],
  { hook, message, mark }: TrialHook,
  signal: AbortSignal,
): Promise<HookEnd> {
  const flood = new AbortController()
  const end = `coppice-end-${ids.next()}`
  const pieces: Uint8Array[] = []
  let size = 0
  const onBytes = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > mostHookOutput) flood.abort()
    else pieces.push(bytes.slice())
  }
  const command = scriptOf(hook, mark, end)
  const input = JSON.stringify(message)
  try {
    const outcome = await shell.execute(
      { command, input, timeoutMs: hook.timeoutMs, mount, onOutput: () => {}, onBytes },
      AbortSignal.any([signal, flood.signal]),
    )
    return endOf(outcome, textOfPieces(pieces), hook, end)
  } catch (error) {
    signal.throwIfAborted()
    if (!flood.signal.aborted) throw error
    return noAnswer('It printed more than 1 MB, so it was ended.')
  }
}

/** Standard output and standard error come on one stream, one after the other. */
function scriptOf({ command, args }: Hook, mark: string, end: string): string {
  const run = args === null ? `bash -c ${shellWord(command)}` : [command, ...args].map(wordOf).join(' ')
  return [
    `printf '%s\\n' "$PWD"`,
    'export CLAUDE_PROJECT_DIR="$PWD"',
    'complaints=$(mktemp) || exit 1',
    'message=$(cat)',
    `printf '%s' "\${message//${mark}/"$PWD"}" | ${run} 2> "$complaints"`,
    'code=$?',
    `printf '\\n%s\\n' ${end}`,
    'head -c 20000 "$complaints"',
    'exit $code',
  ].join('\n')
}

/** A word of the shell, with the project's folder in it as the view has it. */
function wordOf(word: string): string {
  return word.split(`\${CLAUDE_PROJECT_DIR}`).map(shellWord).join('"$PWD"')
}

function endOf({ endedBy, exitCode, reached }: ShellOutcome, printed: string, hook: Hook, end: string): HookEnd {
  if (endedBy === 'time') return noAnswer(`It did not end within ${hook.timeoutMs / 1000} s, so it was ended.`)
  if (endedBy !== 'itself') return noAnswer(`${reached ?? 'It reached a limit'}; it was ended.`)
  const line = printed.indexOf('\n')
  const [folder, rest] = [printed.slice(0, line), printed.slice(line + 1)]
  const [stdout = '', stderr = ''] = rest.split(`\n${end}\n`)
  return { exitCode, stdout, stderr, problem: null, folder }
}

function textOfPieces(pieces: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return new TextDecoder().decode(bytes)
}

function noAnswer(problem: string): HookEnd {
  return { exitCode: null, stdout: '', stderr: '', problem }
}
