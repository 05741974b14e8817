import { appVersion } from './app-paths.ts'
import { type CommandLine, readCommandLine, UsageError } from './arguments.ts'
import { exitCodes } from './exit-codes.ts'
import { completeVerb } from './grammar/completion-scripts.ts'
import { HandOver } from './handover/handed-line.ts'
import { helpOf } from './help.ts'
import { printStatus } from './print-status.ts'
import { terminal } from './screen/terminal.ts'

/** Runs one command line to its end, whatever goes wrong. Resolves to its exit code. */
export function runLine(args: readonly string[]): Promise<number> {
  return answerLine(args).catch((error) => report(error, args))
}

/** Runs one command line and returns its exit code. Loads only the named command, so that `--version` is fast. */
async function answerLine(args: readonly string[]): Promise<number> {
  if (args[0] === completeVerb) return (await import('./commands/completion.ts')).complete(args.slice(1))
  const line = readCommandLine(args)
  if (line.flag('help')) return print(helpOf(args))
  if (line.flag('version')) return print(appVersion())
  try {
    return await dispatch(line)
  } catch (error) {
    if (!(error instanceof HandOver)) throw error
    return (await import('./handover/hand-over.ts')).lendTerminal(error, line)
  }
}

async function dispatch(line: CommandLine): Promise<number> {
  switch (line.command) {
    case 'open':
      return (await import('./commands/open.ts')).open(line)
    case 'serve':
      return (await import('./commands/serve.ts')).serve(line)
    case 'run':
      return (await import('./commands/run.ts')).run(line)
    case 'resume':
      return (await import('./commands/resume.ts')).resume(line)
    case 'threads':
      return (await import('./commands/threads.ts')).threads(line)
    case 'export':
      return (await import('./commands/export.ts')).exportThread(line)
    case 'bisect':
    case 'blame':
    case 'branches':
    case 'checks':
    case 'compose':
    case 'needed':
      return (await import('./look-verb.ts')).lookAtBranches(line)
    case 'diff':
      return (await import('./commands/diff.ts')).diff(line)
    case 'merge':
      return (await import('./commands/merge.ts')).merge(line)
    case 'discard':
      return (await import('./commands/discard.ts')).discard(line)
    case 'undo':
      return (await import('./commands/undo.ts')).undo(line)
    case 'rewind':
      return (await import('./commands/rewind.ts')).rewind(line)
    case 'apply':
      return (await import('./commands/apply.ts')).apply(line)
    case 'deliver':
      return (await import('./delivery/deliver.ts')).deliver(line)
    case 'checkout':
      return (await import('./checkouts/checkout.ts')).checkout(line)
    case 'open-branch':
      return (await import('./checkouts/open-branch.ts')).openBranch(line)
    case 'acp':
    case 'mcp':
    case 'mcp servers':
    case 'mcp login':
    case 'mcp logout':
    case 'hooks':
    case 'import':
      return (await import('./serve-program.ts')).serveProgram(line)
    case 'logs':
      return (await import('./commands/logs.ts')).logs(line)
    case 'usage':
      return (await import('./commands/usage.ts')).usage(line)
    case 'completion':
      return (await import('./commands/completion.ts')).completion(line)
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor(line)
  }
}

function print(text: string): number {
  terminal().output.write(`${text}\n`)
  return exitCodes.done
}

function report(error: unknown, args: readonly string[]): number {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UsageError) {
    const [first] = args
    // A program that asked for JSON gets it, whatever is wrong. Runs end in a report of their own.
    if (args.includes('--json') && first !== 'run' && first !== 'resume')
      print(JSON.stringify({ error: { code: 'USAGE', message, next: 'Try: coppice --help' } }))
    printStatus(`coppice: ${message}\nTry: coppice --help`)
    return exitCodes.usage
  }
  printStatus(`coppice: ${message}`)
  const isUsage = error instanceof Error && error.name === 'DataFolderError'
  return isUsage ? exitCodes.usage : exitCodes.failed
}
